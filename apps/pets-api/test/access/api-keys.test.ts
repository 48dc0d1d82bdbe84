import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiKey, CreatedApiKey, CreatedSession, Scope } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { startTestApi, type ApiReplica, type TestApi } from '../harness.js';

const missing = '00000000-0000-4000-8000-000000000000';
/** The documented limit is one second; the rest is for the requests themselves. */
const withinASecond = { timeoutMs: 2_000 };

let api: TestApi;
let other: ApiReplica;
let organizationId: string;
let key: string;
/** How far the clock of the replicas is ahead. */
let aheadMs = 0;

const HOUR_MS = 3_600_000;
const now = () => new Date(Date.now() + aheadMs);

beforeAll(async () => {
  api = await startTestApi({}, now);
  other = await api.startReplica();
  ({ organizationId, key } = await api.createOrganization('pro'));
});
afterAll(() => api.close());
afterEach(() => {
  aheadMs = 0;
});

const createKey = (body: object, as = key) => api.request<CreatedApiKey>('POST', '/v1/api-keys', { key: as, body });
const listKeys = async (as = key) => (await api.request<ApiKey[]>('GET', '/v1/api-keys', { key: as })).body;
const openSession = (as = key) => api.request<CreatedSession>('POST', '/v1/sessions', { key: as });
const statusAt = async (replica: ApiReplica, as: string) =>
  (await replica.request('GET', '/v1/pets', { key: as })).status;
const refusedAt = (replica: ApiReplica, as: string) =>
  waitUntil(async () => (await statusAt(replica, as)) === 401, { message: 'the key to be refused', ...withinASecond });

describe('scopes', () => {
  it.each<[Scope, string, string]>([
    ['pets:read', 'GET', '/v1/pets'],
    ['pets:read', 'HEAD', '/v1/pets'],
    ['pets:write', 'POST', '/v1/pets'],
    ['projects:write', 'POST', '/v1/projects'],
    ['domains:read', 'GET', `/v1/projects/${missing}/domains`],
    ['domains:write', 'PUT', `/v1/projects/${missing}/domain-config`],
    ['keys:read', 'GET', '/v1/api-keys'],
    ['keys:write', 'DELETE', `/v1/api-keys/${missing}`],
  ])('%s is required by %s %s', async (scope, method, path) => {
    const lacking = await api.createKey(organizationId, { scopes: ['webhooks:read'] });
    const refused = await api.request(method, path, { key: lacking });
    expect(refused.status).toBe(403);
    if (method !== 'HEAD') expect(refused.body.code).toBe('forbidden');
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer realm="pets-api", error="insufficient_scope", scope="${scope}"`,
    );
    const holding = await api.createKey(organizationId, { scopes: [scope] });
    expect([401, 403]).not.toContain((await api.request(method, path, { key: holding })).status);
  });

  it('are checked after the key and before the body', async () => {
    const lacking = await api.createKey(organizationId, { scopes: ['pets:read'] });
    expect((await api.request('POST', '/v1/pets', { key: lacking, body: '{' })).status).toBe(403);
    expect((await api.request('POST', '/v1/pets', { key: `${lacking}x`, body: '{' })).status).toBe(401);
    expect((await api.request('POST', '/v1/nope', { key: lacking })).status).toBe(404);
  });
});

describe('keys of an organization', () => {
  it('are created as requested, and the secret is shown once', async () => {
    const expiresAt = '2999-01-01T00:00:00.000Z';
    const { status, body } = await createKey({ name: 'ci', scopes: ['pets:read'], expiresAt });
    expect(status).toBe(201);
    const { secret, ...listed } = body;
    expect(secret).toMatch(/^pets_test_[0-9A-Za-z]{36}$/);
    expect(listed).toMatchObject({ name: 'ci', scopes: ['pets:read'], expiresAt, lastUsedAt: null, revokedAt: null });
    expect(listed.display).toBe(`pets_test_…${secret.slice(-4)}`);
    expect(await statusAt(other, secret)).toBe(200);

    const answer = await api.request<ApiKey[]>('GET', '/v1/api-keys', { key });
    expect(answer.body.find(({ id }) => id === listed.id)).toMatchObject({ name: 'ci', display: listed.display });
    expect(answer.text).not.toContain(secret.slice('pets_test_'.length));
    expect(Object.keys(answer.body[0] ?? {}).toSorted()).toEqual(Object.keys(listed).toSorted());
  });

  it('expire no later than the key that created them', async () => {
    const end = new Date(Date.now() + HOUR_MS);
    const brief = await api.createKey(organizationId, { expiresAt: end });
    const ask = (expiresAt?: string) =>
      api.request<ApiKey>('POST', '/v1/api-keys', {
        key: brief,
        body: { name: 'x', scopes: ['pets:read'], expiresAt },
      });
    expect((await ask()).body.expiresAt).toBe(end.toISOString());
    const { status, text } = await ask(new Date(end.getTime() + 1).toISOString());
    expect(status).toBe(400);
    expect(text).toContain('expiresAt: must not be after the expiry of the key used for this request');
  });

  it('grant only scopes that they have', async () => {
    const modest = await api.createKey(organizationId, { scopes: ['keys:write', 'pets:read'] });
    const answer = await api.request('POST', '/v1/api-keys', {
      key: modest,
      body: { name: 'more', scopes: ['pets:read', 'pets:write', 'orders:read'] },
    });
    expect(answer.status).toBe(403);
    expect(answer.body.code).toBe('forbidden');
    expect(answer.headers.get('www-authenticate')).toContain('scope="pets:write orders:read"');
    expect((await createKey({ name: 'less', scopes: ['pets:read'] }, modest)).status).toBe(201);
  });

  it.each([
    ['no scopes', { name: 'x', scopes: [] }],
    ['a scope there is not', { name: 'x', scopes: ['pets:eat'] }],
    ['a scope twice', { name: 'x', scopes: ['pets:read', 'pets:read'] }],
    ['no name', { scopes: ['pets:read'] }],
    ['an end in the past', { name: 'x', scopes: ['pets:read'], expiresAt: '2001-01-01T00:00:00Z' }],
    [
      'an end that is the year 10000 in UTC',
      { name: 'x', scopes: ['pets:read'], expiresAt: '9999-12-31T23:59:59-14:00' },
    ],
    ['an end that is no time', { name: 'x', scopes: ['pets:read'], expiresAt: 'tomorrow' }],
    ['a field there is not', { name: 'x', scopes: ['pets:read'], secret: 'mine' }],
  ])('are not created with %s', async (_name, body) => {
    expect((await createKey(body)).status).toBe(400);
  });

  it('cannot be listed or revoked by another organization', async () => {
    const stranger = await api.createOrganization('free');
    const { body: own } = await createKey({ name: 'own', scopes: ['pets:read'] });
    expect(await listKeys(stranger.key)).toHaveLength(1);
    const foreign = await api.request('DELETE', `/v1/api-keys/${own.id}`, { key: stranger.key });
    const unknown = await api.request('DELETE', `/v1/api-keys/${missing}`, { key: stranger.key });
    const malformed = await api.request('DELETE', '/v1/api-keys/1', { key: stranger.key });
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(unknown.text);
    expect(malformed.status).toBe(404);
    expect(await statusAt(api, own.secret)).toBe(200);
  });

  it('are accepted without waiting for their last use to be recorded', async () => {
    const { body: used } = await createKey({ name: 'locked', scopes: ['pets:read'] });
    await api.db.transaction().execute(async (tx) => {
      await tx.selectFrom('api_keys').select('id').where('id', '=', used.id).forUpdate().execute();
      expect(await statusAt(api, used.secret)).toBe(200);
    });
  });

  it('show their last use, to the minute', async () => {
    const { body: used } = await createKey({ name: 'used', scopes: ['pets:read'] });
    const lastUse = async () => (await listKeys()).find(({ id }) => id === used.id)?.lastUsedAt ?? null;
    const before = Date.now();
    await statusAt(api, used.secret);
    await waitUntil(async () => (await lastUse()) !== null, { message: 'the use to be noted' });
    const first = await lastUse();
    expect(Date.parse(first ?? '')).toBeGreaterThanOrEqual(before);
    for (const replica of [api, other, api, other]) await statusAt(replica, used.secret);
    expect(await lastUse()).toBe(first);
  });
});

describe('a key', () => {
  it('is refused after its revocation, at once on this replica and within a second on others', async () => {
    const { body: doomed } = await createKey({ name: 'doomed', scopes: ['pets:read'] });
    expect([await statusAt(api, doomed.secret), await statusAt(other, doomed.secret)]).toEqual([200, 200]);
    expect((await api.request('DELETE', `/v1/api-keys/${doomed.id}`, { key })).status).toBe(204);
    expect(await statusAt(api, doomed.secret)).toBe(401);
    await refusedAt(other, doomed.secret);

    const revokedAt = async () => (await listKeys()).find(({ id }) => id === doomed.id)?.revokedAt;
    const first = await revokedAt();
    expect(first).toEqual(expect.any(String));
    expect((await api.request('DELETE', `/v1/api-keys/${doomed.id}`, { key })).status).toBe(204);
    expect(await revokedAt()).toBe(first);
  });

  it('may revoke itself', async () => {
    const { body: own } = await createKey({ name: 'own', scopes: ['keys:write'] });
    expect((await api.request('DELETE', `/v1/api-keys/${own.id}`, { key: own.secret })).status).toBe(204);
    expect((await api.request('DELETE', `/v1/api-keys/${own.id}`, { key: own.secret })).status).toBe(401);
  });

  it('creates no key after its revocation, even on a replica that still accepts it', async () => {
    const { body: stolen } = await createKey({ name: 'stolen', scopes: ['keys:write', 'pets:read'] });
    const attempt = { key: stolen.secret, body: { name: 'heir', scopes: ['pets:read'] } };
    expect(await statusAt(other, stolen.secret)).toBe(200);
    await api.request('DELETE', `/v1/api-keys/${stolen.id}`, { key });
    expect((await other.request('POST', '/v1/api-keys', attempt)).status).toBe(401);
    expect((await other.request('POST', '/v1/sessions', attempt)).status).toBe(401);
    expect((await listKeys()).map(({ name }) => name)).not.toContain('heir');
  });

  it('is refused within a second of its expiry', async () => {
    const brief = await api.createKey(organizationId, { expiresAt: new Date(Date.now() + HOUR_MS) });
    expect([await statusAt(api, brief), await statusAt(other, brief)]).toEqual([200, 200]);
    aheadMs = HOUR_MS;
    await Promise.all([refusedAt(api, brief), refusedAt(other, brief)]);
  });

  it('is accepted only in its environment', async () => {
    const production = await api.startReplica({ ENVIRONMENT: 'production' });
    expect(await statusAt(production, key)).toBe(401);
    const { body: session } = await openSession();
    expect(await statusAt(production, session.secret)).toBe(401);
    const live = await startTestApi({ ENVIRONMENT: 'production' });
    try {
      const { key: liveKey } = await live.createOrganization('pro');
      expect(liveKey).toMatch(/^pets_live_/);
      expect(await statusAt(live, liveKey)).toBe(200);
      expect(await statusAt(await live.startReplica({ ENVIRONMENT: 'staging' }), liveKey)).toBe(401);
    } finally {
      await live.close();
    }
  });
});

describe('a session', () => {
  it('has the permissions of its key for 12 hours', async () => {
    const modest = await api.createKey(organizationId, { scopes: ['pets:read'] });
    const { status, body, headers } = await openSession(modest);
    expect(status).toBe(201);
    expect(headers.get('set-cookie')).toBeNull();
    expect(body).toEqual({ secret: expect.stringMatching(/^pets_test_session_/), expiresAt: expect.any(String) });
    const lifetimeMs = Date.parse(body.expiresAt) - Date.now();
    expect(lifetimeMs).toBeGreaterThan(11.9 * HOUR_MS);
    expect(lifetimeMs).toBeLessThanOrEqual(12 * HOUR_MS);
    expect(await statusAt(other, body.secret)).toBe(200);
    const refused = await api.request('POST', '/v1/pets', { key: body.secret, body: {} });
    expect(refused.headers.get('www-authenticate')).toContain('scope="pets:write"');
    aheadMs = 12 * HOUR_MS;
    await Promise.all([refusedAt(api, body.secret), refusedAt(other, body.secret)]);
    expect(await statusAt(api, modest)).toBe(200);
  });

  it('is kept only as a hash', async () => {
    const { body: session } = await openSession();
    const { rows } = await sql<{ row: string }>`select sessions::text as row from sessions`.execute(api.db);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.map(({ row }) => row).join('\n')).not.toContain(session.secret.slice('pets_test_session_'.length));
  });

  it('cannot create sessions or API keys', async () => {
    const { body: session } = await openSession();
    expect((await openSession(session.secret)).status).toBe(403);
    expect((await createKey({ name: 'x', scopes: ['pets:read'] }, session.secret)).status).toBe(403);
    expect((await listKeys(session.secret)).length).toBeGreaterThan(0);
  });

  it('can be ended without affecting its key and other sessions', async () => {
    const [{ body: one }, { body: two }] = await Promise.all([openSession(), openSession()]);
    expect(await statusAt(other, one.secret)).toBe(200);
    expect((await api.request('DELETE', '/v1/sessions/current', { key: one.secret })).status).toBe(204);
    expect(await statusAt(api, one.secret)).toBe(401);
    await refusedAt(other, one.secret);
    expect([await statusAt(api, two.secret), await statusAt(api, key)]).toEqual([200, 200]);
    expect((await api.request('DELETE', '/v1/sessions/current', { key })).status).toBe(403);
  });

  it('ends within a second of the revocation of its key, on every replica', async () => {
    const { body: parent } = await createKey({ name: 'parent', scopes: ['pets:read'] });
    const { body: session } = await openSession(parent.secret);
    expect([await statusAt(api, session.secret), await statusAt(other, session.secret)]).toEqual([200, 200]);
    await api.request('DELETE', `/v1/api-keys/${parent.id}`, { key });
    expect(await statusAt(api, session.secret)).toBe(401);
    await refusedAt(other, session.secret);
  });

  it('ends with its key when that expires earlier', async () => {
    const expiresAt = new Date(Date.now() + HOUR_MS);
    const { body: session } = await openSession(await api.createKey(organizationId, { expiresAt }));
    expect(session.expiresAt).toBe(expiresAt.toISOString());
    expect(await statusAt(api, session.secret)).toBe(200);
    aheadMs = HOUR_MS;
    await refusedAt(api, session.secret);
  });
});
