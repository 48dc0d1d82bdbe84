import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { isOfLink, operations, type Domain, type Operation, type Setup } from '@pets/contracts';
import { sql } from 'kysely';
import { shareDomainFixture, type DomainFixture, type Tenant } from '../domain-fixture.js';
import { readStream, type StreamReader } from '../events/event-stream-reader.js';
import { matchingFindings } from '../scripted-worker.js';
import { setupSteps, tokenOf, type SetupSteps } from './setup-steps.js';

let fixture: DomainFixture;
let owner: Tenant;
let steps: SetupSteps;
let stream: StreamReader | undefined;

beforeAll(async () => {
  fixture = await shareDomainFixture();
  owner = await fixture.tenant();
  steps = setupSteps(fixture, owner);
});
afterEach(() => stream?.close());
afterAll(() => fixture.close());

const read = (token: string) => steps.ask('GET', '/v1/setup', token);
const follow = async (token: string) => {
  stream = await readStream(`${fixture.api.url}/v1/setup/events`, { authorization: `Bearer ${token}` });
  const opened = stream;
  await opened.until(() => opened.events().length > 0, 'the stream to begin');
  return opened;
};
/** Ends that streams look for once a second. */
const SOON_MS = 2_500;

describe('the page of a set-up link', () => {
  it('shows the domain without ids, projects and people', async () => {
    const domain = await owner.add(fixture.freshName());
    const metadata = { secret: 'of-the-organization' };
    const path = `/v1/projects/${owner.projectId}/domains/${domain.id}`;
    await fixture.api.request('PATCH', path, { key: owner.key, body: { externalId: 'customer-1', metadata } });
    const { status, body, text } = await read(await steps.open(domain));
    expect(status).toBe(200);
    expect(body.domains.map(({ name, state }) => [name, state])).toEqual([[domain.name, 'awaiting_dns']]);
    expect(body.domains[0]?.records).toEqual(domain.records);
    for (const hidden of [domain.id, owner.projectId, 'customer-1', 'of-the-organization'])
      expect(text).not.toContain(hidden);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-4/);
  });

  it('shows both names of a pair', async () => {
    const apex = fixture.freshName().replace('.example.com', '-pair.com');
    const body = { name: apex, pair: true };
    const added = await fixture.api.request<Domain>('POST', `/v1/projects/${owner.projectId}/domains`, {
      key: owner.key,
      body,
    });
    const { domains } = (await read(await steps.open(added.body))).body;
    expect(domains.map(({ name }) => name)).toEqual([apex, `www.${apex}`]);
  });

  it('has its DNS checked while somebody looks, and hears of the result', async () => {
    const domain = await owner.add(fixture.freshName());
    const token = await steps.open(domain);
    await sql`update domain_work set claimed_at = now() - interval '11 seconds', due_at = now() + interval '1 hour'
      where domain_id = ${domain.id}`.execute(fixture.api.db);
    const opened = await follow(token);
    expect((await steps.ask('POST', '/v1/setup/watch', token)).status).toBe(200);
    await fixture.check(domain.id, matchingFindings);
    await opened.until(() => opened.events().some(({ event }) => event === 'changed'), 'the change');
    expect(opened.text()).not.toContain(domain.id);
    expect(opened.events().every(({ id }) => id === undefined)).toBe(true);
    expect((await read(token)).body.domains[0]?.state).toBe('verified');
  });

  it('hears nothing of other domains of the project', async () => {
    const [domain, other] = [await owner.add(fixture.freshName()), await owner.add(fixture.freshName())];
    const opened = await follow(await steps.open(domain));
    await fixture.check(other.id, matchingFindings);
    await owner.untilState(other.id, 'verified');
    await fixture.check(domain.id, matchingFindings);
    await opened.until(() => opened.events().some(({ event }) => event === 'changed'), 'the change of its own');
    expect((await owner.get(domain.id)).state).toBe('verified');
    expect(opened.events().filter(({ event }) => event === 'changed').length).toBeLessThanOrEqual(2);
  });

  it.each<[string, (domain: Domain, linkId: string) => Promise<unknown>]>([
    [
      'the member ends the link',
      (domain, id) => fixture.api.request('DELETE', `${steps.linksOf(domain)}/${id}`, owner),
    ],
    ['the domain is removed', (domain) => owner.remove(domain.id)],
    [
      'the domain is removed and added again',
      async (domain) => {
        await owner.remove(domain.id);
        await owner.add(domain.name);
      },
    ],
    [
      'the domain is moved',
      async (domain) => {
        const projectId = await fixture.createProject(owner.key, true);
        const path = `/v1/projects/${owner.projectId}/domains/${domain.id}/move`;
        await fixture.api.request('POST', path, { key: owner.key, body: { projectId } });
      },
    ],
    [
      'its time is over',
      (_domain, id) =>
        sql`update setup_links set expires_at = now() - interval '1 second' where id = ${id}`.execute(fixture.api.db),
    ],
  ])('ends when %s, with its token, its stream and its link', async (_name, end) => {
    const domain = await owner.add(fixture.freshName());
    const link = (await steps.create(domain)).body;
    const { token } = (await steps.exchange(tokenOf(link))).body;
    const opened = await follow(token);
    await end(domain, link.id);
    expect((await read(token)).status).toBe(401);
    expect((await steps.exchange(token)).status).toBe(401);
    expect((await steps.exchange(tokenOf(link))).status).toBe(401);
    expect(await opened.untilEnd(SOON_MS)).toBe(true);
  });
});

describe('the token of a page', () => {
  it('is renewed with itself, while the link is live', async () => {
    const token = await steps.open(await owner.add(fixture.freshName()));
    const renewed = await steps.exchange(token);
    expect(renewed.status).toBe(201);
    expect((await read(renewed.body.token)).status).toBe(200);
  });

  it('is that of the link alone: another one is refused, and so is the token of the link itself', async () => {
    const [mine, other] = [await owner.add(fixture.freshName()), await owner.add(fixture.freshName())];
    const link = (await steps.create(mine)).body;
    const { token } = (await steps.exchange(tokenOf(link))).body;
    const [, linkId = '', seconds = '', mac = ''] = token.split('.');
    const otherId = (await steps.create(other)).body.id;
    for (const wrong of [
      tokenOf(link),
      `setup.${otherId}.${seconds}.${mac}`,
      `setup.${linkId}.${Number(seconds) + 1}.${mac}`,
      `setup.${linkId}.${seconds}.${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`,
      `setup.${randomUUID()}.${seconds}.${mac}`,
      owner.key,
    ])
      expect((await read(wrong)).body).toMatchObject({ code: 'invalid_api_key', status: 401 });
    for (const wrong of ['', 'x', 'x'.repeat(200), owner.key, linkId])
      expect((await steps.exchange(wrong)).status).toBe(401);
    expect((await steps.exchange('x'.repeat(201))).status).toBe(400);
  });

  it('is refused by every operation but those of its page', async () => {
    const domain = await owner.add(fixture.freshName());
    const token = await steps.open(domain);
    const parameters: Readonly<Record<string, string>> = { projectId: owner.projectId, domain: domain.id };
    const others = Object.values<Operation>(operations).filter((operation) => !isOfLink(operation));
    expect(others.length).toBeGreaterThan(60);
    for (const { method, path } of others) {
      const filled = path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => parameters[name] ?? randomUUID());
      const { status, body } = await fixture.api.request(method.toUpperCase(), filled, { key: token });
      expect([path, status, body.code]).toEqual([path, 401, 'invalid_api_key']);
    }
    for (const path of ['/dashboard/session', '/internal/edge/feed'])
      expect((await fixture.api.request('POST', path, { key: token })).status).not.toBeLessThan(400);
  });

  it('is accepted alone: not with a cookie', async () => {
    const token = await steps.open(await owner.add(fixture.freshName()));
    for (const cookie of ['__Host-session=x', 'a=b']) {
      const { body } = await steps.ask<{ code: string }>('GET', '/v1/setup', token, { headers: { cookie } });
      expect(body.code).toBe('forbidden');
    }
  });
});

describe('the pages of any origin', () => {
  const origin = 'https://app.acme.example';
  const asked = { 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' };

  it('may ask with the token of a link, and see the refusals', async () => {
    const token = await steps.open(await owner.add(fixture.freshName()));
    for (const path of ['/v1/setup', '/v1/setup/watch', '/v1/setup/events', '/v1/setup/sessions']) {
      const { status, headers } = await fixture.api.request('OPTIONS', path, { headers: { origin, ...asked } });
      expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
      expect(headers.get('access-control-allow-methods')).toBe('GET, POST');
      expect(headers.get('access-control-allow-headers')).toBe('authorization, content-type');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
    }
    for (const key of [token, 'x']) {
      const { headers } = await steps.ask<Setup>('GET', '/v1/setup', key, { headers: { origin } });
      expect(headers.get('access-control-allow-origin')).toBe('*');
    }
  });

  it.each(['/v1/projects', '/v1/setup-page', '/v1/setups', '/v1/setup%2f..%2fprojects', '/dashboard/session'])(
    'may not read %s',
    async (path) => {
      const { headers } = await fixture.api.request('OPTIONS', path, { headers: { origin, ...asked } });
      expect(headers.get('access-control-allow-origin')).toBeNull();
      const got = await fixture.api.request('GET', path, { key: owner.key, headers: { origin } });
      expect(got.headers.get('access-control-allow-origin')).toBeNull();
    },
  );
});
