import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DependencyUnavailable } from '@pets/platform';
import { describeWhen, isInstalled, startPgBouncer, startTestPostgres, waitUntil } from '@pets/testing';
import type { PgBouncer, TestPostgres } from '@pets/testing';
import { sql, type RawBuilder } from 'kysely';
import { setImmediate } from 'node:timers/promises';
import pg from 'pg';
import { hasTimeLimits, openDatabase, violatesUnique, type Database } from '../src/database.js';
import { NotificationListener, notify } from '../src/notifications.js';
import { Pipeline } from '../src/pipeline.js';

const LIMITS = { statement: '10s', idle: '10s' };
const onConnectionError = () => undefined;

let postgres: TestPostgres;
let pgbouncer: PgBouncer | null;
let db: Database;
let pipeline: Pipeline;

const readLimits: RawBuilder<typeof LIMITS> = sql`
  select current_setting('statement_timeout') as statement,
    current_setting('idle_in_transaction_session_timeout') as idle`;
const insert = (n: number) => sql`insert into numbers (n) values (${n})`.execute(db);
const insertPiped = (n: number) =>
  pipeline.query({ name: 'insert', text: 'insert into numbers (n) values ($1)', values: [String(n)] });
const stored = async () =>
  new Set((await sql<{ n: number }>`select n from numbers`.execute(db)).rows.map(({ n }) => n));
const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

describeWhen(describe, 'behind PgBouncer', isInstalled('pgbouncer') ? null : 'pgbouncer is not installed', () => {
  beforeAll(async () => {
    postgres = await startTestPostgres();
    pgbouncer = await startPgBouncer(postgres.url);
    const address = { url: pgbouncer?.url ?? '', sessionUrl: postgres.url, onConnectionError };
    db = openDatabase({ ...address, poolSize: 20 });
    pipeline = new Pipeline({ ...address, connections: 2 });
    await sql`create table numbers (n int primary key deferrable initially deferred)`.execute(db);
  });
  afterAll(async () => {
    await pipeline.close();
    await db.destroy();
    await pgbouncer?.stop();
    await postgres.stop();
  });

  it('every statement has its time limits: in a transaction, alone, and in a pipeline', async () => {
    const first = await db.transaction().execute((tx) => readLimits.execute(tx));
    const repeatable = db.transaction().setIsolationLevel('repeatable read');
    const second = await repeatable.execute((tx) => readLimits.execute(tx));
    const alone = await readLimits.execute(db);
    const piped = await pipeline.query({ name: 'limits', text: readLimits.compile(db).sql, values: [] });
    expect([first, second, alone, piped].map(({ rows }) => rows[0])).toEqual([LIMITS, LIMITS, LIMITS, LIMITS]);
    expect(await hasTimeLimits(db)).toBe(true);
  });

  it('other clients of the same server connections get none of the limits', async () => {
    await Promise.all(range(0, 40).map(() => readLimits.execute(db)));
    const stranger = new pg.Client({ connectionString: pgbouncer?.url });
    await stranger.connect();
    for (let round = 0; round < 10; round++) {
      expect((await stranger.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }]);
    }
    await stranger.end();
  });

  it('limits that a pooler silently drops are noticed', async () => {
    const names = 'statement_timeout,idle_in_transaction_session_timeout';
    const dropping = await startPgBouncer(postgres.url, { ignore_startup_parameters: names });
    const unaware = openDatabase({ url: dropping?.url ?? '', onConnectionError });
    const direct = openDatabase({ url: postgres.url, onConnectionError });
    expect([await hasTimeLimits(unaware), await hasTimeLimits(direct)]).toEqual([false, true]);
    await Promise.all([unaware.destroy(), direct.destroy()]);
    await dropping?.stop();
  });

  it('statements of many clients at once are unnamed, and a failure is that of its statement alone', async () => {
    await insert(50);
    const results = await Promise.allSettled(range(0, 100).flatMap((n) => [insert(n), insertPiped(n + 100)]));
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    expect(failures.map((error) => violatesUnique(error, 'numbers_pkey'))).toEqual([true]);
    const repeated = await Promise.allSettled(range(100, 100).flatMap((n) => [insertPiped(n), insertPiped(n + 100)]));
    expect(repeated.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
    expect(await stored()).toEqual(new Set(range(0, 300)));
  });

  it('a notification of a transaction reaches a listener at PostgreSQL itself', async () => {
    const listener = new NotificationListener(postgres.url, onConnectionError);
    await listener.open();
    let wakeUps = 0;
    listener.on('domain_work', () => wakeUps++);
    await db.transaction().execute((tx) => notify(tx, 'domain_work'));
    await waitUntil(() => wakeUps === 1, { message: 'the wake-up' });
    await listener.close();
  });

  it.each([
    ['a restart of PgBouncer', () => pgbouncer?.restart()],
    [
      'the loss of its server connections',
      async () => {
        const direct = openDatabase({ url: postgres.url, poolSize: 1, onConnectionError });
        await sql`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid()`.execute(direct);
        await direct.destroy();
      },
    ],
  ])('%s fails statements clearly, loses nothing, and heals', async (_name, breakConnections) => {
    await sql`delete from numbers`.execute(db);
    const acknowledged: number[] = [];
    const failures: unknown[] = [];
    let next = 0;
    let isOver = false;
    const work = async (send: (n: number) => Promise<unknown>) => {
      while (!isOver) {
        const n = next++;
        await send(n).then(
          () => acknowledged.push(n),
          (error: unknown) => failures.push(error),
        );
        // Statements that fail at once would otherwise leave no time for anything else.
        await setImmediate();
      }
    };
    const inTransaction = (n: number) =>
      db.transaction().execute((tx) => sql`insert into numbers (n) values (${n})`.execute(tx));
    const workers = [insert, insert, insertPiped, insertPiped, inTransaction, inTransaction].map(work);
    await waitUntil(() => acknowledged.length > 100, { message: 'work before' });
    // Again if no statement was under way: PgBouncer replaces connections that are idle, and nothing fails.
    const hasFailed = async () => {
      await breakConnections();
      return failures.length > 0;
    };
    await waitUntil(hasFailed, { message: 'a failure' });
    const before = acknowledged.length;
    await waitUntil(() => acknowledged.length > before + 100, { message: 'work afterwards' });
    isOver = true;
    await Promise.all(workers);
    expect(failures.filter((error) => !(error instanceof DependencyUnavailable))).toEqual([]);
    const rows = await stored();
    expect(acknowledged.filter((n) => !rows.has(n))).toEqual([]);
    await Promise.all(range(0, 40).map(() => readLimits.execute(db))); // no connection is left in a broken state
  });
});
