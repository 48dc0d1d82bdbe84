import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError, OrderEnding, OrderStatus, PetStatus } from '@pets/contracts';
import type { ApiResponse, TestApi } from '../harness.js';
import { shareTestApi } from '../shared-api.js';

const missing = '9223372036854775807';

let api: TestApi;
let key: string;
let otherKey: string;

beforeAll(async () => {
  api = await shareTestApi();
  ({ key } = await api.createOrganization('free'));
  ({ key: otherKey } = await api.createOrganization('free'));
});
afterAll(() => api.close());

interface OrderJson {
  readonly id: number;
  readonly petId: number;
  readonly quantity: number;
  readonly status: OrderStatus;
  readonly createdAt: string;
}

async function createPet(status: PetStatus = 'available', owner = key): Promise<number> {
  const body = { name: 'Rex', categoryId: 1, status };
  return (await api.request<{ id: number }>('POST', '/v1/pets', { key: owner, body })).body.id;
}

async function petStatus(id: number): Promise<string> {
  const row = await api.db.selectFrom('pets').select('status').where('id', '=', BigInt(id)).executeTakeFirstOrThrow();
  return row.status;
}

const place = <Body = ApiError>(body: unknown, owner = key) =>
  api.request<Body>('POST', '/v1/store/orders', { key: owner, body });

const end = <Body = ApiError>(id: number | string, status: unknown, owner = key) =>
  api.request<Body>('PATCH', `/v1/store/orders/${id}`, { key: owner, body: { status } });

const get = <Body = ApiError>(id: number | string, owner = key) =>
  api.request<Body>('GET', `/v1/store/orders/${id}`, { key: owner });

const numberFrom = (table: 'pets' | 'orders', id: bigint) =>
  sql`alter table ${sql.table(table)} alter column id restart with ${sql.lit(id)}`.execute(api.db);

async function placeOrder(owner = key): Promise<OrderJson> {
  return (await place<OrderJson>({ petId: await createPet('available', owner), quantity: 1 }, owner)).body;
}

describe('placing an order', () => {
  it('answers 201 with the order and its location, and makes the animal pending', async () => {
    const petId = await createPet();
    const { status, headers, body } = await place<OrderJson>({ petId, quantity: 100 });
    expect(status).toBe(201);
    expect(body).toEqual({ id: body.id, petId, quantity: 100, status: 'placed', createdAt: body.createdAt });
    expect(new Date(body.createdAt).toISOString()).toBe(body.createdAt);
    expect(headers.get('location')).toBe(`/v1/store/orders/${body.id}`);
    expect((await get<OrderJson>(body.id)).body).toEqual(body);
    expect(await petStatus(petId)).toBe('pending');
  });

  it('places exactly one of fifty concurrent orders', async () => {
    const petId = await createPet();
    const answers = await Promise.all(Array.from({ length: 50 }, () => place({ petId, quantity: 1 })));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([201, ...Array.from({ length: 49 }, () => 409)]);
    const orders = await api.db.selectFrom('orders').select('id').where('pet_id', '=', BigInt(petId)).execute();
    expect(orders).toHaveLength(1);
  });

  it.each<PetStatus>(['pending', 'sold'])(
    'is refused with 409 that names the status when the animal is %s',
    async (status) => {
      const petId = await createPet(status);
      const refused = await place({ petId, quantity: 1 });
      expect(refused.status).toBe(409);
      expect(refused.body.code).toBe('conflict');
      expect(refused.body.message).toContain(`The animal is ${status}`);
      expect(await petStatus(petId)).toBe(status);
    },
  );

  it('treats another organization’s animal as missing, and does not change it', async () => {
    const foreign = await createPet('available', otherKey);
    const [theirs, nobodys] = [
      await place({ petId: foreign, quantity: 1 }),
      await place(`{"petId":${missing},"quantity":1}`),
    ];
    expect(theirs.status).toBe(400);
    expect(theirs.body.code).toBe('invalid_parameter');
    expect(theirs.body.message).toContain('petId:');
    expect(nobodys.status).toBe(theirs.status);
    expect(nobodys.text).toBe(theirs.text);
    expect(await petStatus(foreign)).toBe('available');
  });

  it('keeps ids digit for digit where a double cannot', async () => {
    for (const table of ['pets', 'orders'] as const) await numberFrom(table, 2n ** 53n + 1n);
    await createPet();
    const placed = await place('{"petId":9007199254740993,"quantity":1}');
    const path = placed.headers.get('location') ?? '';
    for (const table of ['pets', 'orders'] as const) await numberFrom(table, 1_000_000n);
    expect(path).toBe('/v1/store/orders/9007199254740993');
    const read = await api.request('GET', path, { key });
    expect(read.text).toContain('{"id":9007199254740993,"petId":9007199254740993,');
    expect(read.text).toBe(placed.text);
  });

  it.each<[string, unknown, string]>([
    ['no animal', { quantity: 1 }, 'petId:'],
    ['no quantity', { petId: 1 }, 'quantity:'],
    ['none of it', { petId: 1, quantity: 0 }, 'quantity:'],
    ['too many', { petId: 1, quantity: 101 }, 'quantity:'],
    ['half an animal', { petId: 1, quantity: 1.5 }, 'quantity:'],
    ['a quantity in letters', { petId: 1, quantity: '1' }, 'quantity:'],
    ['a quantity beyond doubles', '{"petId":1,"quantity":9007199254740993}', 'quantity:'],
    ['an id in letters', { petId: '1', quantity: 1 }, 'petId:'],
    ['an id of more than 64 bits', '{"petId":9223372036854775808,"quantity":1}', 'petId:'],
    ['a status', { petId: 1, quantity: 1, status: 'fulfilled' }, 'status'],
    ['an array', [], 'The body must be an object'],
  ])('refuses %s with 400 and names the field', async (_name, body, message) => {
    const refused = await place(body);
    expect(refused.status).toBe(400);
    expect(refused.body).toEqual({
      code: 'invalid_parameter',
      message: expect.stringContaining(message),
      status: 400,
      errors: expect.any(Array),
    });
  });
});

describe('ending an order', () => {
  it.each<[OrderEnding, PetStatus]>([
    ['fulfilled', 'sold'],
    ['cancelled', 'available'],
  ])('as %s makes the animal %s', async (ending, status) => {
    const order = await placeOrder();
    const ended = await end<OrderJson>(order.id, ending);
    expect(ended.status).toBe(200);
    expect(ended.body).toEqual({ ...order, status: ending });
    expect(await petStatus(order.petId)).toBe(status);
  });

  it('lets a cancelled animal be ordered again', async () => {
    const { id, petId } = await placeOrder();
    await end(id, 'cancelled');
    expect((await place({ petId, quantity: 1 })).status).toBe(201);
  });

  it.each<[OrderEnding, OrderEnding]>([
    ['fulfilled', 'fulfilled'],
    ['fulfilled', 'cancelled'],
    ['cancelled', 'fulfilled'],
    ['cancelled', 'cancelled'],
  ])('is final: %s cannot become %s', async (first, second) => {
    const { id, petId } = await placeOrder();
    await end(id, first);
    const before = await petStatus(petId);
    const refused = await end(id, second);
    expect(refused.status).toBe(409);
    expect(refused.body.code).toBe('conflict');
    expect(refused.body.message).toContain(`The order is ${first}`);
    expect((await get<OrderJson>(id)).body.status).toBe(first);
    expect(await petStatus(petId)).toEqual(before);
  });

  it('succeeds once for concurrent requests', async () => {
    const { id, petId } = await placeOrder();
    const endings = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? 'fulfilled' : 'cancelled'));
    const answers = await Promise.all(endings.map((ending) => end<OrderJson>(id, ending)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const { status } = (await get<OrderJson>(id)).body;
    expect(await petStatus(petId)).toBe(status === 'fulfilled' ? 'sold' : 'available');
  });

  it('does not change an animal that was ordered again', async () => {
    const { id, petId } = await placeOrder();
    await end(id, 'cancelled');
    await place({ petId, quantity: 1 });
    expect((await end(id, 'cancelled')).status).toBe(409);
    expect(await petStatus(petId)).toBe('pending');
  });

  it.each(['placed', 'lost', null, undefined])('refuses the status %p with 400', async (status) => {
    const { id } = await placeOrder();
    const refused = await end(id, status);
    expect(refused.status).toBe(400);
    expect(refused.body.code).toBe('invalid_parameter');
    expect(refused.body.message).toContain('status:');
  });
});

describe('a single order', () => {
  it('of another organization looks like a missing one, and cannot be ended', async () => {
    const { id } = await placeOrder();
    for (const ask of [
      (of: number | string) => get(of, otherKey),
      (of: number | string) => end(of, 'cancelled', otherKey),
    ]) {
      const [theirs, nobodys] = [await ask(id), await ask(missing)];
      expect(theirs.status).toBe(404);
      expect(theirs.body.code).toBe('not_found');
      expect(nobodys.text).toBe(theirs.text);
    }
    expect((await get<OrderJson>(id)).body.status).toBe('placed');
  });

  it.each(['x', '1.5', '01', '9223372036854775808'])('is not found for %s, which is not an int64', async (id) => {
    for (const answer of [await get(id), await end(id, 'cancelled')]) {
      expect(answer.status).toBe(400);
      expect(answer.body.code).toBe('invalid_parameter');
      expect(answer.body.message).toMatch(/^orderId: /);
    }
  });

  it.each([
    ['GET', '/v1/store/orders'],
    ['POST', '/v1/store/orders'],
    ['GET', '/v1/store/orders/1'],
    ['PATCH', '/v1/store/orders/1'],
  ])('requires a key, like the list: %s %s', async (method, path) => {
    expect((await api.request(method, path)).status).toBe(401);
  });
});

describe('the list of orders', () => {
  const nextOf = ({ headers }: ApiResponse<unknown>) =>
    /^<https:\/\/api\.example(\/v1\/store\/orders\?[^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1];

  it('returns every order once by following next, which keeps the other parameters', async () => {
    const { key: owner } = await api.createOrganization('free');
    const placed: number[] = [];
    for (let i = 0; i < 7; i++) placed.push((await placeOrder(owner)).id);
    const ended = placed.splice(3, 1)[0] ?? 0;
    await end(ended, 'fulfilled', owner);

    const seen: number[] = [];
    let path: string | undefined = '/v1/store/orders?limit=2&status=placed';
    while (path !== undefined) {
      const page: ApiResponse<OrderJson[]> = await api.request<OrderJson[]>('GET', path, { key: owner });
      seen.push(...page.body.map(({ id }) => id));
      path = nextOf(page);
      if (path !== undefined) expect(path).toContain('limit=2&status=placed&cursor=');
    }
    expect(seen).toEqual(placed);
    const fulfilled = await api.request<OrderJson[]>('GET', '/v1/store/orders?status=fulfilled', { key: owner });
    expect(fulfilled.body.map(({ id }) => id)).toEqual([ended]);
  });

  it('rejects cursors of another organization, another filter or the list of animals', async () => {
    for (let i = 0; i < 2; i++) await placeOrder();
    const cursorOf = async (path: string) =>
      /cursor=([^&>]+)/.exec((await api.request('GET', path, { key })).headers.get('link') ?? '')?.[1] ?? 'none';
    const orders = await cursorOf('/v1/store/orders?limit=1');
    const pets = await cursorOf('/v1/pets?limit=1');
    expect((await api.request('GET', `/v1/store/orders?limit=1&cursor=${orders}`, { key })).status).toBe(200);
    const refused = [
      await api.request('GET', `/v1/store/orders?cursor=${orders}`, { key: otherKey }),
      await api.request('GET', `/v1/store/orders?status=placed&cursor=${orders}`, { key }),
      await api.request('GET', `/v1/store/orders?cursor=${pets}`, { key }),
      await api.request('GET', `/v1/pets?cursor=${orders}`, { key }),
    ];
    expect(refused.map(({ body }) => body.code)).toEqual(Array.from({ length: 4 }, () => 'invalid_cursor'));
  });

  it('has at most twenty by default, and nothing of another organization', async () => {
    const { key: owner } = await api.createOrganization('free');
    for (let i = 0; i < 21; i++) await placeOrder(owner);
    const first = await api.request<OrderJson[]>('GET', '/v1/store/orders', { key: owner });
    expect(first.body.length).toBe(20);
    expect(nextOf(first)).toContain('limit=20&cursor=');
    const { key: stranger } = await api.createOrganization('free');
    expect((await api.request('GET', '/v1/store/orders', { key: stranger })).body).toEqual([]);
  });

  it.each(['limit=0', 'limit=101', 'limit=', 'limit=1&limit=2', 'status=lost', 'page=2'])(
    'refuses ?%s with 400',
    async (query) => {
      const refused = await api.request('GET', `/v1/store/orders?${query}`, { key });
      expect(refused.status).toBe(400);
      expect(refused.body.code).toBe('invalid_parameter');
    },
  );
});
