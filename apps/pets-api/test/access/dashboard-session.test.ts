import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CreatedApiKey, CreatedSession, Pet, SignInState } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { startTestApi, type ApiResponse, type TestApi } from '../harness.js';
import { fromDashboard, ORIGIN } from './person-client.js';

/** The session of the dashboard: a cookie, and who may use it. */

let api: TestApi;
let organizationId: string;
let key: string;
beforeAll(async () => {
  api = await startTestApi({ SIGN_INS_PER_MINUTE: '0' });
  ({ organizationId, key } = await api.createOrganization('pro'));
});
afterAll(() => api.close());

const signInWith = (apiKey: string, headers: Record<string, string> = {}) =>
  api.request<SignInState>('POST', '/dashboard/session', { key: apiKey, headers: { ...fromDashboard, ...headers } });

async function signIn(apiKey = key): Promise<string> {
  return cookieOf(await signInWith(apiKey));
}

/** Returns the cookie as a browser sends it back. */
function cookieOf({ headers }: ApiResponse<unknown>): string {
  return headers.getSetCookie().join().split(';')[0] ?? '';
}

const get = (cookie: string, headers: Record<string, string> = {}, path = '/v1/projects') =>
  api.request('GET', path, { headers: { cookie, ...headers } });

const post = (cookie: string, headers: Record<string, string>) =>
  api.request('POST', '/v1/pets', { body: { name: 'Rex', categoryId: 1 }, headers: { cookie, ...headers } });

const stateOf = async (cookie: string) =>
  (await api.request<SignInState>('GET', '/dashboard/sign-in', { headers: { cookie } })).body.session;

describe('the cookie', () => {
  it('is for this host, for no script and for no other site', async () => {
    const response = await signInWith(key);
    expect(response.status).toBe(201);
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-session=pets_test_session_[0-9A-Za-z]{36}; Max-Age=43(200|199); Path=\/; HttpOnly; Secure; SameSite=Strict$/,
      ),
    ]);
    expect(response.text).not.toContain('pets_test');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  it('is a session of the API key, which only its hash is stored of', async () => {
    const cookie = await signIn();
    expect((await get(cookie)).status).toBe(200);
    const { rows } = await sql<{ row: string }>`select sessions::text as row from sessions`.execute(api.db);
    expect(rows.map(({ row }) => row).join()).not.toContain(cookie.split('session_')[1]);
  });

  it('is new at each sign-in, which ends the session that the browser had', async () => {
    const first = await signIn();
    const second = cookieOf(await signInWith(key, { cookie: first }));
    expect(second).not.toBe(first);
    expect([(await get(first)).status, (await get(second)).status]).toEqual([401, 200]);
    const chosen = '__Host-session=pets_test_session_chosen';
    expect(cookieOf(await signInWith(key, { cookie: chosen }))).not.toContain('chosen');
  });

  it('ends at the API and in the browser with a sign-out', async () => {
    const cookie = await signIn();
    const out = await api.request('DELETE', '/dashboard/session', { headers: { cookie, ...fromDashboard } });
    expect([out.status, out.body, out.headers.getSetCookie()]).toEqual([
      200,
      { location: null },
      ['__Host-session=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict'],
    ]);
    expect([(await get(cookie)).status, await stateOf(cookie)]).toEqual([401, null]);
  });

  it('ends with its key', async () => {
    const { body } = await api.request<CreatedApiKey>('POST', '/v1/api-keys', {
      key,
      body: { name: 'Ends', scopes: ['pets:read', 'projects:read'] },
    });
    const cookie = await signIn(body.secret);
    expect((await get(cookie)).status).toBe(200);
    await api.request('DELETE', `/v1/api-keys/${body.id}`, { key });
    expect([(await get(cookie)).status, await stateOf(cookie)]).toEqual([401, null]);
  });

  it('reports its session to the page, and that there is none', async () => {
    const response = await signInWith(key);
    expect(await stateOf(cookieOf(response))).toEqual(response.body.session);
    expect([await stateOf(''), await stateOf('__Host-session=x'), await stateOf('other=1')]).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('creates no keys', async () => {
    const headers = { cookie: await signIn(), ...fromDashboard };
    const body = { name: 'x', scopes: ['pets:read'] };
    expect((await api.request('POST', '/v1/api-keys', { body, headers })).status).toBe(403);
    expect((await api.request('POST', '/v1/sessions', { headers })).status).toBe(403);
    expect((await api.request('POST', '/dashboard/session', { headers })).status).toBe(403);
  });
});

describe('a cookie that is sent', () => {
  it.each([
    ['twice', (cookie: string) => `${cookie}; ${cookie}`],
    ['beside another of the same name', (cookie: string) => `__Host-session=x; ${cookie}`],
    ['under another name', (cookie: string) => cookie.replace('__Host-', '')],
    ['in another case', (cookie: string) => cookie.replace('__Host-', '__host-')],
    ['with more than a key', (cookie: string) => `${cookie}x`],
    ['with eight thousand characters', () => `__Host-session=${'a'.repeat(8_000)}`],
    ['with an API key', () => `__Host-session=${key}`],
    ['in quotes', (cookie: string) => cookie.replace('=', '="') + '"'],
  ])('%s is refused', async (_how, change) => {
    expect((await get(change(await signIn()))).status).toBe(401);
  });

  it('with more than the server reads is refused', async () => {
    const response = await get(`__Host-session=${'a'.repeat(20_000)}`);
    expect([response.status, response.body.code]).toEqual([431, 'headers_too_large']);
  });

  it('beside an Authorization header does not count, even if that one is wrong', async () => {
    const cookie = await signIn();
    const other = await api.createOrganization('pro');
    const list = (apiKey: string) =>
      api.request<Pet[]>('GET', '/v1/pets?limit=100', {
        key: apiKey,
        headers: { cookie, origin: 'https://evil.example' },
      });
    await post(cookie, fromDashboard);
    expect((await list(other.key)).body).toEqual([]);
    expect((await list('pets_test_wrong')).status).toBe(401);
    // No session of the dashboard, so its rules do not apply.
    const body = { name: 'Ada', categoryId: 1 };
    expect((await api.request('POST', '/v1/pets', { key: other.key, body, headers: { cookie } })).status).toBe(201);
  });

  it('beside other cookies counts, and makes the answer vary', async () => {
    const { status, headers } = await get(`a=1; ${await signIn()}; b=2`);
    expect([status, headers.get('vary'), headers.get('cache-control')]).toEqual([200, 'cookie', 'no-store']);
  });

  it('by concurrent requests of several organizations answers each with its own animals', async () => {
    const tenants = await Promise.all(
      ['Ada', 'Bo', 'Cy'].map(async (name) => {
        const { key: own } = await api.createOrganization('pro');
        await api.request('POST', '/v1/pets', { key: own, body: { name, categoryId: 1 } });
        return { name, cookie: await signIn(own) };
      }),
    );
    const answers = await Promise.all(
      [...tenants, ...tenants, ...tenants].map(async ({ name, cookie }) => {
        const { body } = await api.request<Pet[]>('GET', '/v1/pets', { headers: { cookie } });
        return [name, body.map((pet) => pet.name)];
      }),
    );
    for (const [name, names] of answers) expect(names).toEqual([name]);
  });
});

describe('a page of another origin', () => {
  it.each([
    ['without an Origin', { 'x-csrf': '1', 'sec-fetch-site': 'same-origin' }],
    ['without the CSRF header', { origin: ORIGIN, 'sec-fetch-site': 'same-origin' }],
    ['with an empty CSRF header', { ...fromDashboard, 'x-csrf': '' }],
    ['of another site', { ...fromDashboard, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    [
      'of a customer’s site',
      { ...fromDashboard, origin: 'https://shop.pets.localhost', 'sec-fetch-site': 'same-site' },
    ],
    ['of a sibling host', { ...fromDashboard, origin: 'https://evil.api.example' }],
    ['of the same host over plain HTTP', { ...fromDashboard, origin: 'http://api.example' }],
    ['of another port', { ...fromDashboard, origin: 'https://api.example:8443' }],
    ['of an opaque origin', { ...fromDashboard, origin: 'null' }],
    ['of an origin that begins alike', { ...fromDashboard, origin: 'https://api.example.evil.example' }],
    ['that claims the origin but not the site', { ...fromDashboard, 'sec-fetch-site': 'same-site' }],
  ])('%s changes nothing, and signs nobody in or out', async (_from, headers) => {
    const cookie = await signIn();
    const before = (await get(cookie, {}, '/v1/pets?limit=100')).text;
    const refused = await post(cookie, headers);
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
    expect((await get(cookie, {}, '/v1/pets?limit=100')).text).toBe(before);
    expect((await api.request('DELETE', '/dashboard/session', { headers: { cookie, ...headers } })).status).toBe(403);
    const login = await api.request('POST', '/dashboard/session', { key, headers });
    expect([login.status, login.headers.getSetCookie()]).toEqual([403, []]);
    expect((await get(cookie)).status).toBe(200);
  });

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
  ])('reads nothing and opens no streams: %j', async (headers) => {
    const cookie = await signIn();
    expect((await get(cookie, headers)).status).toBe(403);
    const stream = await get(cookie, { ...headers, accept: 'text/event-stream' }, '/v1/projects/x/events');
    expect(stream.status).toBe(403);
  });

  it('gets no permission to read answers or to send headers', async () => {
    const headers = { origin: 'https://shop.pets.localhost', 'access-control-request-headers': 'x-csrf' };
    const preflight = await api.request('OPTIONS', '/v1/pets', {
      headers: { ...headers, 'access-control-request-method': 'POST' },
    });
    const answer = await get(await signIn(), { origin: ORIGIN });
    for (const each of [preflight, answer])
      expect([...each.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });
});

describe('a session', () => {
  it('opened for a client is in no cookie', async () => {
    const { headers, body } = await api.request<CreatedSession>('POST', '/v1/sessions', { key });
    expect([headers.getSetCookie(), body.secret]).toEqual([[], expect.stringMatching(/^pets_test_session_/)]);
  });

  it('reads an event stream with its cookie, which ends with the session', async () => {
    const cookie = await signIn();
    const project = await api.request<{ id: string }>('POST', '/v1/projects', {
      body: { name: 'Site', slug: `site-${organizationId.slice(0, 8)}` },
      headers: { cookie, ...fromDashboard },
    });
    const response = await fetch(`${api.url}/v1/projects/${project.body.id}/events`, {
      headers: { cookie, accept: 'text/event-stream' },
      signal: AbortSignal.timeout(15_000),
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const ended = response.text();
    await api.request('DELETE', '/dashboard/session', { headers: { cookie, ...fromDashboard } });
    expect(await ended).toContain('event: ready');
  });

  it('is deleted after its end', async () => {
    const cookie = await signIn();
    const { id } = (await stateOf(cookie)) ?? { id: '' };
    await sql`update sessions set expires_at = now() - interval '1 second' where id = ${id}`.execute(api.db);
    await waitUntil(async () => (await get(cookie)).status === 401, { message: 'the end' });
    const next = await signIn();
    expect(await stateOf(next)).not.toBeNull();
    const { rows } = await sql`select from sessions where id = ${id}`.execute(api.db);
    expect(rows).toHaveLength(0);
  });
});

describe('sign-ins', () => {
  it('are limited by key, so that nobody uses up those of others, and no other request is', async () => {
    const limited = await api.startReplica({ SIGN_INS_PER_MINUTE: '3' });
    const attempt = (apiKey: string) =>
      limited.request('POST', '/dashboard/session', { key: apiKey, headers: fromDashboard });
    const statuses = [];
    for (const each of [key, 'pets_test_wrong', key, key, key]) statuses.push((await attempt(each)).status);
    expect(statuses).toEqual([201, 401, 201, 201, 429]);
    expect(Number((await attempt(key)).headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await attempt((await api.createOrganization('free')).key)).status).toBe(201);
    expect((await limited.request('GET', '/v1/pets', { key })).status).toBe(200);
  });

  it('of the page with cookies of no session count as wrong keys', async () => {
    const limited = await api.startReplica({ WRONG_KEYS_PER_MINUTE: '2' });
    const ask = async (cookie: string) =>
      (await limited.request('GET', '/dashboard/sign-in', { headers: { cookie } })).status;
    const statuses = [];
    for (const cookie of ['', '__Host-session=a', '__Host-session=b', '__Host-session=c'])
      statuses.push(await ask(cookie));
    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});
