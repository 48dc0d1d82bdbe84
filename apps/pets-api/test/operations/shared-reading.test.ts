import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openDatabase, type Database } from '@pets/persistence';
import { waitUntil, type TestPostgres } from '@pets/testing';
import { sql } from 'kysely';
import { SharedReading } from '../../src/operations/monitoring/shared-reading.js';
import { startMigratedPostgres } from '../migrated-postgres.js';

let postgres: TestPostgres;
let db: Database;

beforeAll(async () => {
  postgres = await startMigratedPostgres();
  db = openDatabase({ url: postgres.url, onConnectionError: () => undefined });
});
afterAll(async () => {
  await db.destroy();
  await postgres.stop();
});
beforeEach(() => sql`delete from shared_readings`.execute(db));

const HOUR_MS = 3_600_000;

/** The reading of one replica. */
function replica(read: () => Promise<{ domains: number }>, keepMs = HOUR_MS, waitMs = HOUR_MS) {
  const failures: unknown[] = [];
  const options = { db, keepMs, waitMs, onFailure: (error: unknown) => void failures.push(error) };
  return { reading: new SharedReading('test', read, options), failures };
}

/** Counts upwards from `first`. */
function counter(first: number) {
  let next = first;
  return () => Promise.resolve({ domains: next++ });
}

const valueOf = async ({ reading }: ReturnType<typeof replica>) => (await reading.current())?.value.domains ?? null;

describe('a shared reading', () => {
  it('is made once for all replicas, until it is old', async () => {
    const [one, other] = [replica(counter(1), HOUR_MS), replica(counter(100))];
    expect(await valueOf(one)).toBe(1);
    expect([await valueOf(other), await valueOf(one)]).toEqual([1, 1]);
    await sql`update shared_readings set due_at = now() - interval '1 second'`.execute(db);
    expect([await valueOf(other), await valueOf(one)]).toEqual([100, 100]);
  });

  it('is made by one replica at a time, while the others report the previous one', async () => {
    expect(await valueOf(replica(counter(1), 0))).toBe(1);
    await sql`update shared_readings set due_at = now() - interval '1 second'`.execute(db);
    let end: (value: { domains: number }) => void = () => undefined;
    const slow = replica(() => new Promise((resolve) => (end = resolve)));
    const reading = valueOf(slow);
    await waitUntil(async () => (await sql`select from shared_readings where due_at > now()`.execute(db)).rows.length);
    expect(await valueOf(replica(counter(100)))).toBe(1);
    end({ domains: 2 });
    expect(await reading).toBe(2);
  });

  it('goes on when nobody waits for it any longer', async () => {
    let end: (value: { domains: number }) => void = () => undefined;
    const slow = replica(() => new Promise((resolve) => (end = resolve)), HOUR_MS, 10);
    expect(await valueOf(slow)).toBeNull();
    end({ domains: 2 });
    await waitUntil(async () => (await valueOf(slow)) === 2);
    expect(slow.failures).toEqual([]);
  });

  it('is made by another replica at once when one fails', async () => {
    const failure = new Error('statement timeout');
    const failing = replica(() => Promise.reject(failure));
    await expect(failing.reading.current()).rejects.toThrow(failure);
    expect(await valueOf(replica(counter(1)))).toBe(1);
  });

  it('tells of a failure that nobody waited for', async () => {
    let fail: (error: Error) => void = () => undefined;
    const slow = replica(() => new Promise((_resolve, reject) => (fail = reject)), HOUR_MS, 10);
    expect(await valueOf(slow)).toBeNull();
    fail(new Error('statement timeout'));
    await waitUntil(() => slow.failures.length === 1);
  });

  it('has the time since it was made', async () => {
    const one = replica(counter(1));
    await one.reading.current();
    await sql`update shared_readings set read_at = now() - interval '1 minute'`.execute(db);
    expect((await one.reading.current())?.ageSeconds).toBeCloseTo(60, 0);
  });

  it('rests after a slow reading for a multiple of its duration', async () => {
    const one = replica(async () => {
      await sql`select pg_sleep(0.2)`.execute(db);
      return { domains: 1 };
    }, 0);
    await one.reading.current();
    const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from due_at - read_at)::float8 as seconds from shared_readings`.execute(db);
    expect(rows[0]?.seconds).toBeGreaterThanOrEqual(19 * 0.2);
  });
});
