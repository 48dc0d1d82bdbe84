import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { startTcpProxy, startTestPostgres, type TcpProxy, type TestPostgres } from '@pets/testing';
import { openDatabase, type Database, type Tables } from '../src/index.js';
import { ConnectionWatchdog } from '../src/connection-watchdog.js';

/** What somebody who waits may have to wait while PostgreSQL is silent; the rest is the machine's. */
const LIMIT_MS = 2_000;
const SLACK_MS = 500;
const POOL_SIZE = 3;

let postgres: TestPostgres;
let proxy: TcpProxy;
let url: string;
let db: Database;
let told: string[];
const onConnectionError = ({ message }: Error) => void told.push(message);

beforeAll(async () => void (postgres = await startTestPostgres()));
afterAll(() => postgres.stop());
beforeEach(async () => {
  told = [];
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
/** As many at a time as there are connections, so that each of them is in use. */
const useAll = () => Promise.all(Array.from({ length: POOL_SIZE }, () => one(db)));

it('a silent PostgreSQL fails a query in time, and no connection that was silent is used again', async () => {
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
  expect(told).toContain('PostgreSQL does not respond: connection aborted with its query');

  proxy.heal();
  for (let round = 0; round < 3; round++) await useAll();
});

it('a slow statement is waited for as long as PostgreSQL welcomes others', async () => {
  await sql`select pg_sleep(1.5)`.execute(db);
  expect(told).toEqual([]);
});

it('a connection that alone is silent is given up when no statement could still be running', async () => {
  const watch = new ConnectionWatchdog({
    connection: { connectionString: postgres.url },
    statementTimeoutMs: 0,
    onAbort: onConnectionError,
  });
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const watched = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: watch.over(pool) }) });
  await one(watched);

  proxy.silence();
  await expect(one(watched)).rejects.toThrow('Connection terminated');

  proxy.heal();
  expect((await one(watched)).rows).toEqual([{ one: 1 }]);
  await watched.destroy();
});

it('of a database that does not watch for silence no query is given up', async () => {
  const patient = openDatabase({ url, poolSize: 1, abortUnresponsive: false, onConnectionError });
  await one(patient);
  proxy.silence();
  const late = one(patient);
  await expect(one(db)).rejects.toThrow(); // two seconds later
  proxy.heal();
  expect((await late).rows).toEqual([{ one: 1 }]);
  await patient.destroy();
});
