import { waitUntil } from '@pets/testing';
import pg from 'pg';
import type { ApiFixture } from './api-fixture.js';
import type { Arrangement } from './run-transcript.js';

/** Sends an order under the Idempotency-Key 77aa, and keeps it from ending until it is released. */
export async function holdOrders({ client, databaseUrl }: ApiFixture): Promise<Arrangement> {
  const holder = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  await holder.connect();
  await holder.query('begin');
  await holder.query('lock table orders in share row exclusive mode');
  const params = { header: { 'Idempotency-Key': '77aa' } };
  const held = client.POST('/v1/store/orders', { params, body: { petId: 3, quantity: 1 } });
  await waitUntil(
    async () =>
      (await holder.query('select from pg_locks where relation = $1::regclass and not granted', ['orders']))
        .rowCount === 1,
    { message: 'the first order to wait' },
  );
  return {
    release: async () => {
      await holder.query('commit');
      await holder.end();
      await held;
    },
  };
}
