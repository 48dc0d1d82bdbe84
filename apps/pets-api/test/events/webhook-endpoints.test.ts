import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiError, type CreatedWebhookEndpoint, type WebhookEndpoint } from '@pets/contracts';
import { PATH, startWebhookFixture, type WebhookFixture } from './webhook-fixture.js';

let fixture: WebhookFixture;

beforeAll(async () => {
  fixture = await startWebhookFixture();
});
afterAll(() => fixture.close());

const url = 'https://hooks.example.com/pets';
const body = { url, eventTypes: ['pet.created'] };
const post = <Body = ApiError>(given: unknown, key = fixture.key) =>
  fixture.api.request<Body>('POST', PATH, { key, body: given });
const list = async (key = fixture.key, query = '') =>
  fixture.api.request<WebhookEndpoint[]>('GET', PATH + query, { key });

describe('an endpoint', () => {
  it('is made with a secret that is shown this once', async () => {
    const made = await post<CreatedWebhookEndpoint>({ ...body, description: 'Stock' });
    const { secret, ...shown } = made.body;
    expect(made.status).toBe(201);
    expect(made.headers.get('location')).toBe(`${PATH}/${shown.id}`);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(shown).toMatchObject({ url, description: 'Stock', projectId: null, enabled: true, disabledReason: null });
    expect(await fixture.get(shown.id)).toEqual(shown);
    const listed = await list();
    expect(listed.body).toContainEqual(shown);
    expect(listed.text).not.toContain('whsec_');
  });

  it('lies sealed in the database', async () => {
    const { id, secret } = await fixture.create(['pet.created']);
    const rows = await fixture.api.db
      .selectFrom('webhook_secrets')
      .select('sealed')
      .where('endpoint_id', '=', id)
      .execute();
    expect(rows).toHaveLength(1);
    expect(rows[0]?.sealed).toMatch(/^v1\.test\./);
    expect(rows[0]?.sealed).not.toContain(secret.slice('whsec_'.length, 20));
  });

  it.each([
    ['plain HTTP', { url: 'http://hooks.example.com/' }, 'url: must be https'],
    ['plain HTTP inside', { url: 'http://127.0.0.1:9000/' }, 'url: must be https'],
    ['another protocol', { url: 'ftp://hooks.example.com/' }, 'url: must be an https URL'],
    ['no URL', { url: 'https://' }, 'url: must be an https URL'],
    ['a user name', { url: 'https://me@hooks.example.com/' }, 'url: must not have a user name'],
    ['a password', { url: 'https://:pw@hooks.example.com/' }, 'url: must not have a user name'],
    ['a fragment', { url: 'https://hooks.example.com/#a' }, 'url: must not have a fragment'],
    ['a URL that is too long', { url: `https://hooks.example.com/${'a'.repeat(2_048)}` }, 'url: '],
    ['no event types', { eventTypes: [] }, 'eventTypes: '],
    ['an unknown event type', { eventTypes: ['pet.eaten'] }, 'eventTypes.0: '],
    ['a type twice', { eventTypes: ['pet.created', 'pet.created'] }, 'eventTypes: must not repeat a type'],
    ['the type of tests', { eventTypes: ['endpoint.test'] }, 'eventTypes.0: '],
    ['a project that is not there', { projectId: randomUUID() }, 'projectId: there is no such project'],
    ['an unknown field', { secret: 'whsec_mine' }, ''],
  ])('is refused with %s', async (_name, change, message) => {
    const { status, body: error } = await post({ ...body, ...change });
    expect(status).toBe(400);
    expect(error.code).toBe('invalid_parameter');
    expect(error.message.slice(0, message.length)).toBe(message);
  });

  it('takes another organization’s project for none', async () => {
    const other = await fixture.api.createOrganization('pro');
    const project = { name: 'P', slug: `theirs-${randomUUID()}` };
    const made = await fixture.api.request<{ id: string }>('POST', '/v1/projects', { key: other.key, body: project });
    const refused = await post({ ...body, projectId: made.body.id });
    expect(refused.status).toBe(400);
    expect(refused.body.message).toBe('projectId: there is no such project');
    expect((await post({ ...body, projectId: made.body.id }, other.key)).status).toBe(201);
  });

  it.each(['GET', 'PATCH', 'DELETE'])('of another organization is missing: %s', async (method) => {
    const { id } = await fixture.create(['pet.created']);
    const { key } = await fixture.api.createOrganization('pro');
    const change = method === 'PATCH' ? { body: { enabled: false } } : {};
    const theirs = await fixture.api.request(method, `${PATH}/${id}`, { key, ...change });
    const nobodys = await fixture.api.request(method, `${PATH}/${randomUUID()}`, { key, ...change });
    expect(theirs.status).toBe(404);
    expect(theirs.text).toBe(nobodys.text);
    expect((await fixture.get(id)).enabled).toBe(true);
  });

  it('is changed in what is given, and no more', async () => {
    const { id } = await fixture.create(['pet.created'], { description: 'Stock' });
    const before = await fixture.get(id);
    const changed = await fixture.change<WebhookEndpoint>(id, { url, eventTypes: ['domain.live'] });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({ ...before, url, eventTypes: ['domain.live'] });
    expect((await fixture.change<WebhookEndpoint>(id, { description: null })).body.description).toBeNull();
    expect((await fixture.change(id, { url: 'http://hooks.example.com/' })).status).toBe(400);
  });

  it('is disabled by its owner, and enabled again', async () => {
    const { id } = await fixture.create(['pet.created']);
    const disabled = (await fixture.change<WebhookEndpoint>(id, { enabled: false })).body;
    expect(disabled).toMatchObject({ enabled: false, disabledReason: 'owner', disabledAt: expect.any(String) });
    const enabled = (await fixture.change<WebhookEndpoint>(id, { enabled: true })).body;
    expect(enabled).toMatchObject({ enabled: true, disabledReason: null, disabledAt: null });
  });

  it('is gone once it is deleted', async () => {
    const { id } = await fixture.create(['pet.created']);
    await fixture.createPet();
    const remove = () => fixture.api.request('DELETE', `${PATH}/${id}`, { key: fixture.key });
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
    const { db } = fixture.api;
    const left = await db.selectFrom('webhook_deliveries').select('id').where('endpoint_id', '=', id).execute();
    const secrets = await db.selectFrom('webhook_secrets').select('id').where('endpoint_id', '=', id).execute();
    expect([left, secrets]).toEqual([[], []]);
  });
});

describe('a secret', () => {
  const request = <Body>(id: string, query: string) =>
    fixture.api.request<Body>('POST', `${PATH}/${id}/rotate-secret${query}`, { key: fixture.key });
  const rotate = async (id: string, query = '') => (await request<CreatedWebhookEndpoint>(id, query)).body;

  it('is rotated: the one before signs for a day', async () => {
    const { id, secret } = await fixture.create(['pet.created']);
    const rotated = await rotate(id);
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(rotated.secret).not.toBe(secret);
    const leftMs = Date.parse(rotated.previousSecretUntil ?? '') - Date.now();
    expect(Math.abs(leftMs - 86_400_000)).toBeLessThan(60_000);
  });

  it.each([
    [3_600, 1],
    [604_800, 1],
    [0, 0],
  ])('is rotated with the chosen overlap: %d s', async (seconds, previous) => {
    const { id } = await fixture.create(['pet.created']);
    await rotate(id);
    const rotated = await rotate(id, `?overlapSeconds=${seconds}`);
    const rows = await fixture.api.db
      .selectFrom('webhook_secrets')
      .select('expires_at')
      .where('endpoint_id', '=', id)
      .execute();
    expect(rows).toHaveLength(1 + previous);
    if (previous === 0) return expect(rotated.previousSecretUntil).toBeNull();
    const leftMs = Date.parse(rotated.previousSecretUntil ?? '') - Date.now();
    expect(Math.abs(leftMs - seconds * 1_000)).toBeLessThan(60_000);
  });

  it.each(['604801', '-1', '1.5', '', 'P1D', '999999999999'])(
    'is not rotated with an overlap of “%s”',
    async (text) => {
      const { id } = await fixture.create(['pet.created']);
      const refused = await request<ApiError>(id, `?overlapSeconds=${text}`);
      expect([refused.status, refused.body.code]).toEqual([400, 'invalid_parameter']);
      expect((await fixture.get(id)).previousSecretUntil).toBeNull();
    },
  );

  it('that was rotated twice has one before it', async () => {
    const { id } = await fixture.create(['pet.created']);
    await rotate(id);
    await rotate(id);
    const rows = await fixture.api.db
      .selectFrom('webhook_secrets')
      .select('id')
      .where('endpoint_id', '=', id)
      .execute();
    expect(rows).toHaveLength(2);
  });
});

describe('an organization', () => {
  it('has at most twenty endpoints, however many are asked for at once', async () => {
    const { key } = await fixture.api.createOrganization('pro');
    const [most, left] = [20, 3];
    for (let nth = 0; nth < most - left; nth++) expect((await post(body, key)).status).toBe(201);
    const asked = await Promise.all(Array.from({ length: left + 5 }, () => post(body, key)));
    const refused = asked.filter(({ status }) => status !== 201);
    expect(refused.map((answer) => [answer.status, answer.body.code])).toEqual(
      Array.from({ length: 5 }, () => [403, 'webhook_limit_reached']),
    );
    expect((await list(key, '?limit=100')).body).toHaveLength(most);
  });

  it('reads them in pages, in order of creation', async () => {
    const { key } = await fixture.api.createOrganization('pro');
    const urls = ['a', 'b', 'c'].map((name) => `https://hooks.example.com/${name}`);
    for (const each of urls) await post({ ...body, url: each }, key);
    const first = await list(key, '?limit=2');
    const [, next = ''] = /<https:\/\/api\.example([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
    const second = await fixture.api.request<WebhookEndpoint[]>('GET', next, { key });
    expect([...first.body, ...second.body].map((endpoint) => endpoint.url)).toEqual(urls);
    expect(second.headers.get('link')).toBeNull();
  });
});

describe('a key', () => {
  it('without the scope is refused', async () => {
    const { organizationId } = await fixture.api.createOrganization('pro');
    const reader = await fixture.api.createKey(organizationId, { scopes: ['webhooks:read'] });
    expect((await list(reader)).status).toBe(200);
    expect((await post(body, reader)).status).toBe(403);
    const other = await fixture.api.createKey(organizationId, { scopes: ['pets:read'] });
    expect((await list(other)).status).toBe(403);
  });
});
