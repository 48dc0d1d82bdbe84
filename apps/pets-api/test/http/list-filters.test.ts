import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiKey, Deployment, Order, Pet, Project, WebhookEndpoint } from '@pets/contracts';
import { sql } from 'kysely';
import type { TestApi } from '../harness.js';
import { shareTestApi } from '../shared-api.js';

let api: TestApi;
let key: string;
let organizationId: string;

beforeAll(async () => {
  api = await shareTestApi();
  ({ key, organizationId } = await api.createOrganization('pro'));
});
afterAll(() => api.close());

const list = async <Row>(path: string) => (await api.request<Row[]>('GET', path, { key })).body;
const nextOf = (headers: Headers) =>
  /^<https:\/\/api\.example([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

it('projects are found by a part of name or slug, and sorted both ways', async () => {
  for (const [name, slug] of [
    ['Äpfel', 'fruit-apples'],
    ['Birnen', 'fruit-pears'],
    ['100%', 'percent'],
  ])
    await api.request('POST', '/v1/projects', { key, body: { name, slug } });
  const slugs = async (query: string) => (await list<Project>(`/v1/projects?${query}`)).map(({ slug }) => slug);
  expect(await slugs('q=FRUIT-')).toEqual(['fruit-apples', 'fruit-pears']);
  expect(await slugs(`q=${encodeURIComponent('äpf')}&sort=-createdAt`)).toEqual(['fruit-apples']);
  expect(await slugs('q=pear')).toEqual(['fruit-pears']);
  expect(await slugs('q=100%25')).toEqual(['percent']);
  expect(await slugs('q=%25')).toEqual(['percent']);
  expect(await slugs('sort=-createdAt&limit=2')).toEqual(['percent', 'fruit-pears']);
});

it('keys are listed by whether they are valid', async () => {
  const create = async (name: string) =>
    (await api.request<ApiKey>('POST', '/v1/api-keys', { key, body: { name, scopes: ['pets:read'] } })).body.id;
  await create('stays');
  await api.request('DELETE', `/v1/api-keys/${await create('ends')}`, { key });
  const names = async (query: string) => (await list<ApiKey>(`/v1/api-keys?${query}`)).map(({ name }) => name);
  expect(await names('state=valid')).toEqual(['test', 'stays']);
  expect(await names('state=ended')).toEqual(['ends']);
  expect(await names('state=ended&q=stay')).toEqual([]);
  expect((await api.request('GET', '/v1/api-keys?state=dead', { key })).body.code).toBe('invalid_parameter');
});

it('webhook endpoints are listed by whether they are enabled', async () => {
  const create = async (path: string) => {
    const body = { url: `https://hooks.example.com/${path}`, eventTypes: ['pet.created'] };
    return (await api.request<WebhookEndpoint>('POST', '/v1/webhook-endpoints', { key, body })).body.id;
  };
  const [on, off] = [await create('on'), await create('off')];
  await api.request('PATCH', `/v1/webhook-endpoints/${off}`, { key, body: { enabled: false } });
  const ids = async (query: string) =>
    (await list<WebhookEndpoint>(`/v1/webhook-endpoints?${query}`)).map(({ id }) => id);
  expect(await ids('enabled=true')).toEqual([on]);
  expect(await ids('enabled=false')).toEqual([off]);
  expect(await ids('sort=-createdAt')).toEqual([off, on]);
});

it('deployments have pages, newest first, and the first one without a limit has the served one', async () => {
  const body = { name: 'D', slug: 'many-deployments' };
  const { id } = (await api.request<Project>('POST', '/v1/projects', { key, body })).body;
  await sql`
    insert into deployments (project_id, state, content_hash, files_hash, files, bytes)
    select ${id}, case when n between 2 and 11 then 'collected' else 'ready' end, n, n, 1, 1 from generate_series(1, 105) n`.execute(
    api.db,
  );
  await sql`
    update deployments set activation = nextval('deployments_activation')
    where project_id = ${id} and content_hash = '1'`.execute(api.db);
  const path = `/v1/projects/${id}/deployments`;
  const first = await api.request<Deployment[]>('GET', path, { key });
  expect(first.body.map(({ contentHash }) => Number(contentHash))).toEqual([...descending(105, 6), 1]);
  const second = await list<Deployment>(nextOf(first.headers) ?? '');
  expect(second.map(({ contentHash }) => Number(contentHash))).toEqual(descending(5, 1));
  const few = await list<Deployment>(`${path}?limit=3&state=collected`);
  expect(few.map(({ contentHash }) => Number(contentHash))).toEqual([11, 10, 9]);
});

describe('animals and orders', () => {
  beforeAll(async () => {
    for (const name of ['Ärmel', 'Bär', 'bärchen', 'B%r', 'Cato']) {
      const { body } = await api.request<Pet>('POST', '/v1/pets', { key, body: { name, categoryId: 1 } });
      await api.request('POST', '/v1/store/orders', { key, body: { petId: body.id, quantity: 1 } });
    }
  });
  const names = async (query: string) => (await list<Pet>(`/v1/pets?${query}`)).map(({ name }) => name);
  const ordered = async (query: string) =>
    (await list<Order>(`/v1/store/orders?expand=pet&${query}`)).map(({ pet }) => pet?.name);

  it.each([
    [`q=${encodeURIComponent('BÄR')}`, ['Bär', 'bärchen']],
    [`q=${encodeURIComponent('bär')}&sort=-createdAt`, ['bärchen', 'Bär']],
    ['q=b%25', ['B%r']],
    ['sort=createdAt&limit=2', ['Ärmel', 'Bär']],
    ['sort=-createdAt&limit=2', ['Cato', 'B%r']],
    ['q=nobody', []],
  ])('are found by the beginning of the name of the animal, and sorted both ways: %s', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
    expect(await ordered(query)).toEqual(expected);
  });

  it.each(['/v1/pets', '/v1/store/orders'])(
    '%s keeps search, order and status on the following pages',
    async (path) => {
      const status = path === '/v1/pets' ? 'pending' : 'placed';
      const query = `limit=1&sort=-createdAt&status=${status}&q=b`;
      const ids: unknown[] = [];
      for (let next: string | undefined = `${path}?${query}`; next !== undefined;) {
        const { body, headers } = await api.request<{ id: number }[]>('GET', next, { key });
        ids.push(...body.map(({ id }) => id));
        next = nextOf(headers);
        if (next !== undefined) expect(next).toContain('sort=-createdAt');
      }
      expect(ids).toEqual((await list<{ id: number }>(`${path}?sort=-createdAt&q=b`)).map(({ id }) => id));
      expect(ids).toHaveLength(3);
    },
  );

  it('a cursor belongs to its search', async () => {
    const { headers } = await api.request('GET', '/v1/pets?limit=1&q=b', { key });
    const cursor = new URLSearchParams(nextOf(headers)?.split('?')[1]).get('cursor') ?? '';
    const { body } = await api.request('GET', `/v1/pets?limit=1&q=c&cursor=${cursor}`, { key });
    expect(body.code).toBe('invalid_cursor');
  });

  it('a search reads a limited number of rows a page, and goes on with the next one', async () => {
    const { key: keyOfMany, organizationId: ofMany } = await api.createOrganization('pro');
    await sql`
      insert into pets (organization_id, name, category_id, status)
      select ${ofMany}, case when n = 2500 then 'Needle' else 'Hay' end, 1, 'available' from generate_series(1, 2500) n`.execute(
      api.db,
    );
    const found: string[] = [];
    let pages = 0;
    for (let next: string | undefined = '/v1/pets?q=needle'; next !== undefined; pages++) {
      const { body, headers } = await api.request<Pet[]>('GET', next, { key: keyOfMany });
      found.push(...body.map(({ name }) => name));
      next = nextOf(headers);
    }
    expect({ found, pages }).toEqual({ found: ['Needle'], pages: 3 });
  });

  it('orders tell nothing about animals to a key that may not read them', async () => {
    const ordersKey = await api.createKey(organizationId, { scopes: ['orders:read'] });
    const ask = async (query: string) =>
      (await api.request<{ code?: string }>('GET', `/v1/store/orders${query}`, { key: ordersKey })).body;
    expect(await ask('')).toHaveLength(5);
    for (const query of ['?expand=pet', '?q=b'])
      expect(await ask(query)).toMatchObject({ code: 'forbidden', message: 'The key lacks the scope pets:read.' });
  });

  it('an order has its animal only when asked, and never one of another organization', async () => {
    const [plain] = await list<Order>('/v1/store/orders?limit=1');
    expect(plain).not.toHaveProperty('pet');
    const { key: otherKey } = await api.createOrganization('pro');
    expect((await api.request('GET', '/v1/store/orders?expand=pet&q=b', { key: otherKey })).body).toEqual([]);
    expect((await api.request('GET', '/v1/store/orders?expand=customer', { key })).body.code).toBe('invalid_parameter');
  });
});

const descending = (from: number, to: number) => Array.from({ length: from - to + 1 }, (_, index) => from - index);
