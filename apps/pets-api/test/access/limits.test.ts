import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiKey, CreatedApiKey, CreatedSession, Organization, Project } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql, type RawBuilder } from 'kysely';
import { LimitsService } from '../../src/access/limits/limits.service.js';
import { runRetention } from '../operations/retention-fixture.js';
import type { ApiResponse, TestApi } from '../harness.js';
import { shareTestApi } from '../shared-api.js';

let api: TestApi;
let limits: LimitsService;

beforeAll(async () => {
  api = await shareTestApi();
  limits = new LimitsService(api.db, { RATE_LIMIT_PER_MINUTE: 1000, EVENT_STREAMS_PER_KEY: 100 });
});
afterAll(() => api.close());

const override = (organizationId: string, name: string, value: bigint) =>
  api.db.insertInto('organization_limits').values({ organization_id: organizationId, name, value }).execute();

describe('limits', () => {
  it('are those of the plan, and an organization may have its own', async () => {
    const [one, other] = [await api.createOrganization('pro'), await api.createOrganization('pro')];
    await override(one.organizationId, 'projects', 3n);
    await override(one.organizationId, 'requestsPerMinute', 12n);
    expect(await limits.readLimits(one.organizationId)).toMatchObject({
      projects: 3,
      apiKeys: 100,
      requestsPerMinute: 12,
    });
    expect(await limits.readLimits(other.organizationId)).toMatchObject({ projects: 100, requestsPerMinute: 1000 });
  });

  it('keep every digit that JSON can', async () => {
    const { organizationId } = await api.createOrganization('free');
    await override(organizationId, 'storageBytes', BigInt(Number.MAX_SAFE_INTEGER));
    expect((await limits.readLimits(organizationId)).storageBytes).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('are read once for concurrent requests', async () => {
    const { organizationId } = await api.createOrganization('free');
    const [first, second] = await Promise.all([limits.of(organizationId), limits.of(organizationId)]);
    expect(second).toBe(first);
  });
});

const createKey = (key: string, expiresAt?: string) =>
  api.request<CreatedApiKey>('POST', '/v1/api-keys', { key, body: { name: 'k', scopes: ['pets:read'], expiresAt } });
const createProject = (key: string) =>
  api.request<Project>('POST', '/v1/projects', { key, body: { name: 'P', slug: `p-${randomUUID()}` } });
const inOneSecond = () => new Date(Date.now() + 1_000).toISOString();

describe('an organization', () => {
  it('cannot exceed its limit of API keys with concurrent requests', async () => {
    const { organizationId, key } = await api.createOrganization('pro');
    await override(organizationId, 'apiKeys', 4n);
    const answers = await Promise.all(Array.from({ length: 10 }, () => createKey(key)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array.from({ length: 3 }, () => 201),
      ...Array.from({ length: 7 }, () => 403),
    ]);
    const refused = answers.find(({ status }) => status === 403);
    expect(refused?.body).toEqual({
      ...{ code: 'api_key_limit_reached', status: 403 },
      message: 'The organization can have at most 4 API keys. Revoke one that is no longer used.',
    });
  });

  it('can create a key after one was revoked or has expired', async () => {
    const { organizationId, key } = await api.createOrganization('pro');
    await override(organizationId, 'apiKeys', 2n);
    const first = await createKey(key, inOneSecond());
    expect((await createKey(key)).status).toBe(403);
    await waitUntil(async () => (await createKey(key)).status === 201, {
      message: 'the key to expire',
    });
    const [, , last] = (await api.request<ApiKey[]>('GET', '/v1/api-keys', { key })).body;
    expect(last?.id).not.toBe(first.body.id);
    await api.request('DELETE', `/v1/api-keys/${last?.id}`, { key });
    expect((await createKey(key)).status).toBe(201);
  });

  it('keeps at most a thousand ended keys', async () => {
    const { organizationId, key } = await api.createOrganization('pro');
    await sql`
      insert into api_keys (organization_id, name, hash, display, scopes, created_by_kind, revoked_at)
      select ${organizationId}, 'ended', sha256(('ended' || n)::bytea), 'x', '{pets:read}', 'operator', now() - n * interval '1 second'
      from generate_series(1, 1005) as n`.execute(api.db);
    const [oldest] = await endedKeys(organizationId);
    await sql`
      insert into sessions (api_key_id, hash, expires_at) values (${oldest}, sha256('a session'), now() - interval '1 second')`.execute(
      api.db,
    );
    await createKey(key);
    const ended = await endedKeys(organizationId);
    expect(ended.length).toBe(1000);
    expect(ended.includes(oldest ?? '')).toBe(false);
  });

  it('does not count the rows of removed people toward these', async () => {
    const { organizationId, key } = await api.createOrganization('pro');
    await sql`
      insert into api_keys (organization_id, name, hash, display, scopes, created_by_kind, revoked_at, is_person)
      select ${organizationId}, case when n = 1 then 'ended' else 'person' end, sha256(('person' || n)::bytea), 'x',
        '{pets:read}', case when n = 1 then 'operator' end, now() - interval '1 day' + n * interval '1 second', n > 1
      from generate_series(1, 1002) as n`.execute(api.db);
    await createKey(key);
    expect(await endedKeys(organizationId)).toHaveLength(1002);
  });

  it('cannot exceed its limit of projects with concurrent requests', async () => {
    const { organizationId, key } = await api.createOrganization('pro');
    await override(organizationId, 'projects', 3n);
    const answers = await Promise.all(Array.from({ length: 8 }, () => createProject(key)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, 'code' in body && body.code])).toEqual(
      Array.from({ length: 5 }, () => [403, 'project_limit_reached']),
    );
  });

  it('sees its usage', async () => {
    const { key } = await api.createOrganization('free');
    await createProject(key);
    const revoked = await createKey(key);
    await api.request('DELETE', `/v1/api-keys/${revoked.body.id}`, { key });
    await createKey(key);
    const { body } = await api.request<Organization>('GET', '/v1/organization', { key });
    expect(body.usage).toMatchObject({ apiKeys: 2, projects: 1, webhookEndpoints: 0, storageBytes: 0 });
  });

  it('has at most a hundred sessions for a key: one more ends the one that expires first', async () => {
    const { key } = await api.createOrganization('free');
    const open = async () => requireCreated(await api.request<CreatedSession>('POST', '/v1/sessions', { key })).secret;
    const first = await open();
    for (let nth = 0; nth < 8; nth++) await Promise.all(Array.from({ length: 40 }, open));
    await waitUntil(async () => (await api.request('GET', '/v1/pets', { key: first })).status === 401, {
      message: 'the first session to end',
    });
  });
});

function requireCreated<Body>({ status, body, text }: ApiResponse<Body>): Body {
  if (status !== 201) throw new Error(text);
  return body;
}

async function endedKeys(organizationId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from api_keys where organization_id = ${organizationId} and revoked_at is not null order by revoked_at
  `.execute(api.db);
  return rows.map(({ id }) => id);
}

describe('keys that ended', () => {
  it('are deleted after 90 days, with their sessions and kept answers', async () => {
    const { organizationId, key } = await api.createOrganization('free');
    await sql`
      insert into api_keys (organization_id, name, hash, display, scopes, created_by_kind, revoked_at, expires_at)
      select ${organizationId}, name, sha256(('aged ' || name)::bytea), 'x', '{pets:read}', 'operator', revoked_at, expires_at
      from (values
        ('revoked long ago', now() - interval '91 days', null),
        ('expired long ago', null, now() - interval '91 days'),
        ('expired after it was revoked', now() - interval '91 days', now() - interval '1 day'),
        ('revoked of late', now() - interval '89 days', null),
        ('expires one day', null, now() + interval '1 day')
      ) as key (name, revoked_at, expires_at)`.execute(api.db);
    await sql`
      insert into sessions (api_key_id, hash, expires_at)
      select id, sha256(('session ' || name)::bytea), now() from api_keys where organization_id = ${organizationId}
    `.execute(api.db);
    await sql`
      insert into idempotent_answers (api_key_id, path, key, fingerprint, answer, expires_at)
      select id, '/v1/pets', 'k', 'f', 'a', now() from api_keys where organization_id = ${organizationId}`.execute(
      api.db,
    );
    expect(await runRetention(api.db)).toMatchObject({ api_keys: 3 });
    const { body } = await api.request<ApiKey[]>('GET', '/v1/api-keys', { key });
    expect(body.map(({ name }) => name).sort()).toEqual(['expires one day', 'revoked of late', 'test']);
  });

  it('are counted and found by indexes', async () => {
    await api.db.transaction().execute(async (tx) => {
      await sql`set local enable_seqscan = off`.execute(tx);
      const planOf = async (query: RawBuilder<unknown>) =>
        JSON.stringify((await sql`explain (format json) ${query}`.execute(tx)).rows);
      const organization = randomUUID();
      expect(
        await planOf(sql`select count(*) from api_keys where organization_id = ${organization}
          and coalesce(least(revoked_at, expires_at), 'infinity'::timestamptz) > ${new Date()}`),
      ).toContain('api_keys_by_end');
      expect(
        await planOf(sql`select id from api_keys where least(revoked_at, expires_at) < ${new Date()} limit 500`),
      ).toContain('api_keys_ended');
    });
  });
});

describe.each([
  ['/v1/api-keys', createKey],
  ['/v1/projects', createProject],
] as const)('the list %s', (path, create) => {
  it('is read in pages, in order of creation, and names each once', async () => {
    const { key } = await api.createOrganization('pro');
    for (let nth = 0; nth < 5; nth++) await create(key);
    const all = await api.request<{ id: string }[]>('GET', path, { key });
    expect(all.headers.get('link')).toBeNull();
    const seen: string[] = [];
    for (let next: string | undefined = `${path}?limit=2`; next !== undefined;) {
      const { status, body, headers }: ApiResponse<{ id: string }[]> = await api.request('GET', next, { key });
      expect(status).toBe(200);
      expect(body.length).toBeLessThanOrEqual(2);
      seen.push(...body.map(({ id }) => id));
      next = /^<https:\/\/api\.example([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];
    }
    expect(seen).toEqual(all.body.map(({ id }) => id));
  });

  it.each(['limit=0', 'limit=101', 'limit=x', 'limit=1&limit=2', 'cursor=x', 'page=2'])('refuses %s', async (query) => {
    const { key } = await api.createOrganization('pro');
    expect((await api.request('GET', `${path}?${query}`, { key })).status).toBe(400);
  });

  it('rejects cursors of another organization', async () => {
    const [one, other] = [await api.createOrganization('pro'), await api.createOrganization('pro')];
    await create(one.key);
    await create(one.key);
    const { headers } = await api.request('GET', `${path}?limit=1`, { key: one.key });
    const [, next = ''] = /^<https:\/\/api\.example([^>]+)>/.exec(headers.get('link') ?? '') ?? [];
    expect((await api.request('GET', next, { key: other.key })).body.code).toBe('invalid_cursor');
  });
});

it('a list without a limit has pages of a thousand', async () => {
  const { organizationId, key } = await api.createOrganization('pro');
  await sql`
    insert into projects (organization_id, name, slug)
    select ${organizationId}, 'P', 'many-' || n from generate_series(1, 1005) as n`.execute(api.db);
  const first = await api.request<Project[]>('GET', '/v1/projects', { key });
  const [, next = ''] = /^<https:\/\/api\.example([^>]+)>/.exec(first.headers.get('link') ?? '') ?? [];
  expect(first.body.length).toBe(1000);
  expect(next.includes('limit=')).toBe(false);
  const second = await api.request<Project[]>('GET', next, { key });
  expect(new Set([...first.body, ...second.body].map(({ id }) => id)).size).toBe(1005);
});
