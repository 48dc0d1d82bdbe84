import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApiError } from '@pets/contracts';
import { waitUntil } from '@pets/testing';
import { startTestApi, type ApiReplica, type ApiResponse, type TestApi } from '../harness.js';

let api: TestApi;
let other: ApiReplica;
let key: string;

beforeAll(async () => {
  api = await startTestApi();
  other = await api.startReplica();
  ({ key } = await api.createOrganization('pro'));
});
afterAll(() => api.close());

const order = (petId: number, once: string, at: ApiReplica = api): Promise<ApiResponse<ApiError>> =>
  at.request('POST', '/v1/store/orders', {
    key,
    body: { petId, quantity: 1 },
    headers: { 'idempotency-key': once },
  });

async function createPet(): Promise<number> {
  const body = { name: 'Rex', categoryId: 1 };
  return (await api.request<{ id: number }>('POST', '/v1/pets', { key, body })).body.id;
}

/** The server process of whoever waits for a locked animal. */
async function findWaiting(): Promise<number | undefined> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%"pets"%for update%'`.execute(
    api.db,
  );
  return rows[0]?.pid;
}

/** Places an order of an animal that somebody has locked; `whileWaiting` runs while the order waits for it. */
async function orderLocked(
  petId: number,
  once: string,
  whileWaiting: (pid: number) => Promise<void>,
): Promise<ApiResponse<ApiError>> {
  const { answer } = await api.db.transaction().execute(async (tx) => {
    await tx.selectFrom('pets').select('id').where('id', '=', BigInt(petId)).forUpdate().execute();
    const pending = order(petId, once);
    let pid: number | undefined;
    await waitUntil(async () => (pid = await findWaiting()) !== undefined, { message: 'the order to wait' });
    if (pid !== undefined) await whileWaiting(pid);
    return { answer: pending };
  });
  return answer;
}

async function leftOf(petId: number, once: string) {
  const orders = await api.db.selectFrom('orders').select('id').where('pet_id', '=', BigInt(petId)).execute();
  const answers = await api.db.selectFrom('idempotent_answers').select('key').where('key', '=', once).execute();
  return { orders: orders.length, answers: answers.length };
}

describe('a request in progress', () => {
  it('is not repeated: a repetition is refused on every replica until the response is stored', async () => {
    const [petId, once] = [await createPet(), randomUUID()];
    const first = await orderLocked(petId, once, async () => {
      for (const replica of [api, other]) {
        const refused = await order(petId, once, replica);
        expect(refused.status).toBe(409);
        expect(refused.body.code).toBe('idempotency_in_progress');
        expect(refused.headers.get('retry-after')).toBe('1');
      }
    });
    expect(first.status).toBe(201);
    const again = await order(petId, once, other);
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await leftOf(petId, once)).toEqual({ orders: 1, answers: 1 });
  });
});

describe('a request whose transaction is killed', () => {
  it('has no effect, and its repetition runs', async () => {
    const [petId, once] = [await createPet(), randomUUID()];
    const torn = await orderLocked(petId, once, async (pid) => {
      await sql`select pg_terminate_backend(${pid}::int)`.execute(api.db);
      await waitUntil(async () => (await findWaiting()) === undefined, { message: 'the order to be torn' });
    });
    expect(torn.status).toBe(503);
    expect(torn.body.code).toBe('unavailable');
    expect(await leftOf(petId, once)).toEqual({ orders: 0, answers: 0 });
    const again = await order(petId, once);
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(await leftOf(petId, once)).toEqual({ orders: 1, answers: 1 });
  });
});
