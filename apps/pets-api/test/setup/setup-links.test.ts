import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_SETUP_LINKS, type NewSetupPage, type SetupLink, type SetupPage } from '@pets/contracts';
import { sql } from 'kysely';
import { shareDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { setupSteps, tokenOf, type SetupSteps } from './setup-steps.js';

let fixture: DomainFixture;
let owner: Tenant;
let steps: SetupSteps;

beforeAll(async () => {
  fixture = await shareDomainFixture();
  owner = await fixture.tenant();
  steps = setupSteps(fixture, owner);
});
afterAll(() => fixture.close());

const list = async (domain: { id: string }) =>
  (await fixture.api.request<SetupLink[]>('GET', steps.linksOf(domain), { key: owner.key })).body;
const putPage = (page: object, key = owner.key) =>
  fixture.api.request<SetupPage>('PUT', '/v1/setup-page', { key, body: page });
const page: NewSetupPage = {
  name: 'Acme',
  color: '#1a5fb4',
  supportAddress: 'help@acme.example',
  returnOrigins: ['https://app.acme.example'],
};

describe('a set-up link', () => {
  it('is shown once, at the origin of the dashboard, and its token is stored as a hash', async () => {
    const domain = await owner.add(fixture.freshName());
    const { status, body } = await steps.create(domain);
    expect(status).toBe(201);
    expect(new URL(body.url).pathname).toBe('/setup');
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(7 * 86_400_000);
    const { url, ...listed } = body;
    expect(await list(domain)).toEqual([listed]);
    const { rows } = await sql<{ text: string }>`
      select l::text || (select string_agg(a::text, ' ') from audit_events a) as text from setup_links l
      where l.id = ${body.id}`.execute(fixture.api.db);
    expect(rows[0]?.text).not.toContain(tokenOf({ url }));
  });

  it.each([
    ['five minutes', 300, 201],
    ['thirty days', 30 * 86_400, 201],
    ['less', 299, 400],
    ['more', 30 * 86_400 + 1, 400],
  ])('may live for %s', async (_name, expiresIn, status) => {
    expect((await steps.create(await owner.add(fixture.freshName()), { expiresIn })).status).toBe(status);
  });

  it(`is one of ${MAX_SETUP_LINKS} of its domain that have not ended`, async () => {
    const domain = await owner.add(fixture.freshName());
    const created = await Promise.all(Array.from({ length: MAX_SETUP_LINKS + 3 }, () => steps.create(domain)));
    expect(created.filter(({ status }) => status === 201)).toHaveLength(MAX_SETUP_LINKS);
    const [first] = await list(domain);
    expect((await steps.create(domain)).body).toMatchObject({ code: 'conflict' });
    const path = `${steps.linksOf(domain)}/${first?.id}`;
    expect((await fixture.api.request('DELETE', path, { key: owner.key })).status).toBe(204);
    expect((await fixture.api.request('DELETE', path, { key: owner.key })).status).toBe(404);
    expect((await steps.create(domain)).status).toBe(201);
    await sql`update setup_links set expires_at = now() - interval '1 second' where domain_id = ${domain.id}`.execute(
      fixture.api.db,
    );
    expect(await list(domain)).toEqual([]);
    expect((await steps.create(domain)).status).toBe(201);
  });

  it('leads back only to an origin that the organization has listed', async () => {
    const domain = await owner.add(fixture.freshName());
    await putPage({ ...page, returnOrigins: [] });
    const returnUrl = 'https://app.acme.example/domains?id=1';
    expect((await steps.create(domain, { returnUrl })).body).toMatchObject({ code: 'invalid_parameter' });
    await putPage(page);
    const { body } = await steps.create(domain, { returnUrl });
    expect(body.returnUrl).toBe(returnUrl);
    for (const other of [
      'http://app.acme.example/',
      'https://app.acme.example.evil.example/',
      'https://app.acme.example:8443/',
      'https://user@evil.example/#https://app.acme.example',
      'javascript:alert(1)',
    ])
      expect((await steps.create(domain, { returnUrl: other })).status).toBe(400);
    const { token } = (await steps.exchange(tokenOf(body))).body;
    expect((await steps.ask('GET', '/v1/setup', token)).body).toMatchObject({ returnUrl, name: 'Acme' });
    await putPage({ ...page, returnOrigins: [] });
    expect((await steps.ask('GET', '/v1/setup', token)).body.returnUrl).toBeNull();
  });

  it('is of a domain of the caller that has not been removed', async () => {
    const domain = await owner.add(fixture.freshName());
    const stranger = await fixture.tenant();
    const path = steps.linksOf(domain);
    expect((await fixture.api.request('POST', path, { key: stranger.key, body: {} })).status).toBe(404);
    expect((await fixture.api.request('GET', path, { key: stranger.key })).status).toBe(404);
    await owner.remove(domain.id);
    expect((await steps.create(domain)).status).toBe(404);
  });
});

describe('the look of set-up pages', () => {
  it('is empty at first, and is that of the organization', async () => {
    const other = await fixture.tenant();
    const read = (key: string) => fixture.api.request<SetupPage>('GET', '/v1/setup-page', { key });
    const empty = { name: null, color: null, supportAddress: null, returnOrigins: [], logo: null };
    expect((await read(other.key)).body).toEqual(empty);
    expect((await putPage(page, other.key)).body).toEqual({ ...page, logo: null });
    expect((await read(other.key)).body).toEqual({ ...page, logo: null });
    expect((await read((await fixture.tenant()).key)).body.name).toBeNull();
  });

  it.each([
    ['a colour on which white cannot be read', { color: '#ffcc00' }],
    ['a colour that is none', { color: 'red; background: url(//evil.example)' }],
    ['a name with an override of its direction', { name: 'Acme \u202egnp.exe' }],
    ['a support address that is a script', { supportAddress: 'javascript:alert(1)' }],
    ['an origin with a path', { returnOrigins: ['https://app.acme.example/path'] }],
    ['an origin without TLS', { returnOrigins: ['http://app.acme.example'] }],
    ['too many origins', { returnOrigins: Array.from({ length: 21 }, (_, index) => `https://a${index}.example`) }],
    ['an unknown field', { logo: 'x' }],
  ])('refuses %s', async (_name, part) => {
    expect((await putPage({ ...page, ...part })).status).toBe(400);
  });
});
