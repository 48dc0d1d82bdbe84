import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { startTcpProxy, startTestPostgres, type TcpProxy, type TestPostgres } from '@pets/testing';
import { asTenant, openDatabase, type Database, type Tables } from '../src/index.js';
import { ConnectionWatchdog } from '../src/connection-watchdog.js';

/** The longest wait while PostgreSQL is silent; the slack is for the machine. */
const LIMIT_MS = 2_000;
const SLACK_MS = 500;
const POOL_SIZE = 3;

let postgres: TestPostgres;
let proxy: TcpProxy;
let url: string;
let db: Database;
let reported: string[];
const onConnectionError = ({ message }: Error) => void reported.push(message);

beforeAll(async () => void (postgres = await startTestPostgres()));
afterAll(() => postgres.stop());
beforeEach(async () => {
  reported = [];
  proxy = await startTcpProxy({ port: Number(new URL(postgres.url).port) });
  const proxied = new URL(postgres.url);
  proxied.port = String(proxy.port);
  url = proxied.href;
  db = openDatabase({ url, poolSize: POOL_SIZE, onConnectionError });
});
afterEach(async () => {
  await db.destroy();
  await proxy.close();
});

const one = (on: Database) => sql<{ one: number }>`select 1 as one`.execute(on);
/** Runs as many queries at a time as there are connections, so that each of them is in use. */
const useAll = () => Promise.all(Array.from({ length: POOL_SIZE }, () => one(db)));

it('a silent PostgreSQL fails queries in time, and no silent connection is used again', async () => {
  await useAll();
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const transaction = db.transaction().execute(async (tx) => {
    await one(tx);
    begun.resolve();
    await goOn.promise;
    await one(tx);
  });
  await begun.promise;

  proxy.silence();
  goOn.resolve();
  const began = Date.now();
  // More than there are connections: some wait for one.
  const outcomes = await Promise.allSettled([transaction, ...Array.from({ length: 2 * POOL_SIZE }, () => one(db))]);
  expect(Date.now() - began).toBeLessThan(LIMIT_MS + SLACK_MS);
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
  expect(reported).toContain('PostgreSQL does not respond: connection aborted with its query');

  proxy.heal();
  for (let round = 0; round < 3; round++) await useAll();
});

it('a silent PostgreSQL fails those too that wait for a connection of their share', async () => {
  const shared = openDatabase({ url, poolSize: POOL_SIZE, onConnectionError, hasShares: true });
  const ask = () => asTenant('a', () => one(shared));
  await ask();
  proxy.silence();
  const began = Date.now();
  const outcomes = await Promise.allSettled(Array.from({ length: 4 }, ask));
  expect(Date.now() - began).toBeLessThan(LIMIT_MS + SLACK_MS);
  for (const outcome of outcomes)
    expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'DependencyUnavailable' } });
  proxy.heal();
  await ask();
  await shared.destroy();
});

it('a slow statement continues while PostgreSQL accepts connections', async () => {
  await sql`select pg_sleep(1.5)`.execute(db);
  expect(reported).toEqual([]);
});

it('a single silent connection is aborted when no statement can still be running', async () => {
  const watch = new ConnectionWatchdog({
    probed: [{ connectionString: postgres.url }],
    statementTimeoutMs: 0,
    onAbort: onConnectionError,
  });
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const watched = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: watch.over(pool, { isPooled: false, isPrepared: true }) }),
  });
  await one(watched);

  proxy.silence();
  await expect(one(watched)).rejects.toThrow('Connection terminated');

  proxy.heal();
  expect((await one(watched)).rows).toEqual([{ one: 1 }]);
  await watched.destroy();
});

it('without the watchdog, no query is aborted', async () => {
  const patient = openDatabase({ url, poolSize: 1, abortUnresponsive: false, onConnectionError });
  await one(patient);
  proxy.silence();
  const late = one(patient);
  await expect(one(db)).rejects.toThrow(); // two seconds later
  proxy.heal();
  expect((await late).rows).toEqual([{ one: 1 }]);
  await patient.destroy();
});
