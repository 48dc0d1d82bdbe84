import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAX_REDIRECTS, type ApiError, type Domain, type DomainConfig } from '@pets/contracts';
import { sql } from 'kysely';
import { shareDomainFixture, type DomainFixture } from '../domain-fixture.js';
import { matchingFindings } from '../scripted-worker.js';

let fixture: DomainFixture;

beforeAll(async () => {
  fixture = await shareDomainFixture();
});
afterAll(() => fixture.close());

const configOf = async (projectId: string) =>
  (await fixture.api.request<DomainConfig>('GET', `/v1/projects/${projectId}/domain-config`, { key: fixture.key }))
    .body;
const redirect = (from: string, to: string) => ({ from, to, status: 301 });

const addOne = (projectId: string, name: string) =>
  fixture.api.request('POST', fixture.path(projectId), { key: fixture.key, body: { name } });

describe('a pair of an apex and its www name', () => {
  const add = <Body = ApiError>(projectId: string, name: string, headers: Record<string, string> = {}) =>
    fixture.api.request<Body>('POST', fixture.path(projectId), {
      key: fixture.key,
      body: { name, pair: true },
      headers,
    });

  it.each([
    ['an apex', 'pair-one.com', 'www.pair-one.com'],
    ['a www name', 'www.pair-two.com', 'pair-two.com'],
    ['an international name', 'bücher-paar.com', 'www.bücher-paar.com'],
  ])('of %s is added with its redirect in one call, and each knows the other', async (_name, asked, twin) => {
    const projectId = await fixture.createProject(fixture.key, true);
    const added = await add<Domain>(projectId, asked);
    expect(added.status).toBe(201);
    expect(added.headers.get('location')).toBe(`${fixture.path(projectId)}/${added.body.id}`);
    const other = await fixture.api.request<Domain>('GET', `${fixture.path(projectId)}/${added.body.pairedWith}`, {
      key: fixture.key,
    });
    expect(other.body).toMatchObject({ unicodeName: twin, state: 'awaiting_dns', pairedWith: added.body.id });
    expect(await configOf(projectId)).toEqual({
      domains: { primary: added.body.name, redirects: [redirect(other.body.name, added.body.name)] },
    });
    for (const { id } of [added.body, other.body]) {
      await fixture.check(id, matchingFindings);
      await fixture.worker.nextJob('issue-certificate', id);
    }
  });

  it('does not change an existing primary domain', async () => {
    const projectId = await fixture.createProject(fixture.key, true);
    const primary = fixture.freshName();
    await addOne(projectId, primary);
    await fixture.api.request('PUT', `/v1/projects/${projectId}/domain-config`, {
      key: fixture.key,
      body: { domains: { primary, redirects: [] } },
    });
    await add(projectId, 'pair-three.com');
    expect((await configOf(projectId)).domains.primary).toBe(primary);
  });

  it('is refused for any other name, and nothing is added', async () => {
    const projectId = await fixture.createProject(fixture.key, true);
    for (const name of ['docs.pair-four.com', 'www.docs.pair-four.com']) {
      const refused = await add(projectId, name);
      expect(refused.status).toBe(400);
      expect(refused.body.code).toBe('invalid_domain');
    }
    expect((await fixture.api.request('GET', fixture.path(projectId), { key: fixture.key })).body).toEqual([]);
  });

  it('is refused completely when the organization has one of the names', async () => {
    const projectId = await fixture.createProject(fixture.key, true);
    await fixture.add('www.pair-five.com');
    const refused = await add(projectId, 'pair-five.com');
    expect(refused.status).toBe(409);
    expect(refused.body.code).toBe('domain_exists');
    expect(refused.body.message).toContain('www.pair-five.com');
    expect((await fixture.api.request('GET', fixture.path(projectId), { key: fixture.key })).body).toEqual([]);
  });

  it('counts as two domains', async () => {
    const { api } = fixture;
    const { organizationId, key } = await api.createOrganization('pro');
    await api.db
      .insertInto('organization_limits')
      .values({ organization_id: organizationId, name: 'domainsPerProject', value: 2n })
      .execute();
    const path = fixture.path(await fixture.createProject(key, true));
    await api.request('POST', path, { key, body: { name: fixture.freshName() } });
    const refused = await api.request('POST', path, { key, body: { name: 'pair-six.com', pair: true } });
    expect(refused.status).toBe(403);
    expect(refused.body.code).toBe('domain_limit_reached');
  });

  it('is refused when the configuration has no room for its redirect', async () => {
    const projectId = await fixture.createProject(fixture.key, true);
    const redirects = Array.from({ length: MAX_REDIRECTS }, (_, nth) => redirect(`from-${nth}.com`, 'to.com'));
    await sql`
      update projects set domain_config = ${JSON.stringify({ domains: { redirects } })}::jsonb
      where id = ${projectId}`.execute(fixture.api.db);
    const refused = await add(projectId, 'pair-eight.com');
    expect(refused).toMatchObject({ status: 403, body: { code: 'domain_limit_reached' } });
    expect((await addOne(projectId, 'pair-eight.com')).status).toBe(201);
  });

  it('is added once when the request is repeated', async () => {
    const projectId = await fixture.createProject(fixture.key, true);
    const once = { 'idempotency-key': 'pair-once' };
    const [first, again] = [await add(projectId, 'pair-seven.com', once), await add(projectId, 'pair-seven.com', once)];
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
    const list = await fixture.api.request<unknown[]>('GET', fixture.path(projectId), { key: fixture.key });
    expect(list.body).toHaveLength(2);
  });
});
