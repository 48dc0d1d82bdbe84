import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWhen, isInstalled, startTestRedis, waitUntil } from '@pets/testing';
import { sql } from 'kysely';
import { startTestApi, type TestApi } from '../harness.js';
import { scrapeReplica } from '../operations/scrape.js';

let api: TestApi;

beforeAll(async () => void (api = await startTestApi()));
afterAll(() => api.close());

const freshScrape = (settings?: Readonly<Record<string, string>>) => scrapeReplica(api, settings);

describe('pets-api reports', () => {
  it('the state of the database server', async () => {
    const page = await freshScrape();
    const value = (name: string) => page.value(`pets_database_${name}`) ?? Number.NaN;
    expect(value('connections')).toBeGreaterThan(1);
    expect(value('connection_limit')).toBeGreaterThan(value('connections'));
    expect(value('transaction_id_age')).toBeGreaterThan(0);
    for (const quiet of ['standbys', 'standby_delay_seconds', 'kept_log_bytes', 'archiving_fails_seconds'])
      expect(value(quiet)).toBe(0);
  });

  it('how long the oldest transaction has been open', async () => {
    await api.db.transaction().execute(async (tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      expect(rows).toHaveLength(1);
      const isOld = sql<{ age: number }>`
        select extract(epoch from now() - xact_start)::float8 as age from pg_stat_activity where pid = ${rows[0]?.pid}`;
      await waitUntil(async () => ((await isOld.execute(api.db)).rows[0]?.age ?? 0) > 1);
      const page = await freshScrape();
      expect(page.value('pets_database_oldest_transaction_seconds')).toBeGreaterThan(1);
    });
  });

  it('the age of the last backup and their interval, once they were reported', async () => {
    expect((await freshScrape()).value('pets_backup_age_seconds')).toBeUndefined();
    await sql`insert into last_backup (finished_at, bytes, interval_seconds)
      values (now() - interval '2 hours', 1, 21600)`.execute(api.db);
    const age = (await freshScrape()).value('pets_backup_age_seconds') ?? Number.NaN;
    expect(age).toBeGreaterThanOrEqual(7_200);
    expect(age).toBeLessThan(7_500);
    expect((await freshScrape()).value('pets_backup_interval_seconds')).toBe(21_600);
  });

  it('no memory of Redis where PostgreSQL holds the queues', async () =>
    expect((await freshScrape()).value('pets_redis_memory_used_bytes')).toBeUndefined());
});

describeWhen(
  describe,
  'with Redis, pets-api reports',
  isInstalled('redis-server') ? null : 'redis-server is not installed',
  () => {
    it('its memory, and how much it may use', async () => {
      const redis = await startTestRedis();
      try {
        const page = await freshScrape({ REDIS_URL: redis?.url ?? '' });
        expect(page.value('pets_redis_memory_used_bytes')).toBeGreaterThan(100_000);
        expect(page.value('pets_redis_memory_limit_bytes')).toBeGreaterThan(100_000_000);
      } finally {
        await redis?.stop();
      }
    });
  },
);
