import { Kysely, PostgresDialect, sql, type KyselyConfig, type Transaction } from 'kysely';
import pg from 'pg';
import { NotificationSender, runningAfterCommit } from './after-commit.js';
import { ConnectionShares, outsideTenants } from './connection-shares.js';
import { ConnectionWatchdog } from './connection-watchdog.js';
import { connectionLimits, STATEMENT_TIMEOUT_MS } from './pool-client.js';
import type { Tables } from './tables.js';

export type Database = Kysely<Tables>;
export type Tx = Transaction<Tables>;

/** Addresses of the database, and how connections to it are used. */
export interface DatabaseAddress {
  /** PostgreSQL, or a pooler before it in transaction mode, such as PgBouncer. */
  readonly url: string;
  /** PostgreSQL itself, where `url` is a pooler: for what belongs to a connection, such as LISTEN. */
  readonly sessionUrl?: string | undefined;
  /** Whether connections keep prepared statements. By default they do, unless there is a pooler. */
  readonly prepared?: boolean | undefined;
}

export interface DatabaseOptions extends DatabaseAddress {
  /** The largest number of connections. */
  readonly poolSize?: number;
  /**
   * Whether to abort a query when PostgreSQL no longer responds (after two seconds), or has not answered for longer than
   * a statement may run. Not for migrations, whose statements may run for longer. The default is true.
   */
  readonly abortUnresponsive?: boolean;
  /** Whether requests of tenants have shares of the pool (`asTenant`). The default is false. */
  readonly hasShares?: boolean;
  /** Called when an idle connection breaks, and when one is aborted. */
  readonly onConnectionError: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 2_000;
const INT8_OID = 20;

/** int8 keeps every digit; everything else is read as pg reads it. */
const types = new pg.TypeOverrides();
types.setTypeParser(INT8_OID, BigInt);

/** Settings of every connection, and what may be used on it. */
export function connectionTo({ url, sessionUrl, prepared }: DatabaseAddress) {
  const isPooled = sessionUrl !== undefined;
  const settings = {
    connectionString: url,
    types,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...(!isPooled && connectionLimits),
  };
  return { settings, isPooled, isPrepared: prepared ?? !isPooled };
}

/**
 * Opens a pool and the query builder over it, which ends the pool when it is destroyed. A connection that the server
 * kills must not end the process: the pool and every client have an error listener, since a client that is checked out
 * emits its errors on itself only.
 */
export function openDatabase({
  poolSize = 10,
  abortUnresponsive = true,
  hasShares = false,
  onConnectionError,
  ...address
}: DatabaseOptions): Database {
  const { settings, ...use } = connectionTo(address);
  const pool = new pg.Pool({ ...settings, max: poolSize });
  pool.on('error', onConnectionError);
  pool.on('connect', (client) => void client.on('error', onConnectionError));
  const { sessionUrl } = address;
  const server = sessionUrl === undefined ? [] : [connectionTo({ url: sessionUrl }).settings];
  const watchdog = new ConnectionWatchdog({
    probed: [settings, ...server],
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onAbort: onConnectionError,
  });
  const dialect = new PostgresDialect({
    pool: abortUnresponsive ? watchdog.over(pool, use, hasShares ? new ConnectionShares(poolSize) : undefined) : pool,
  });
  return new NotifyingDatabase({ dialect }, onConnectionError);
}

/** Sends the notifications of its transactions when they have committed. */
class NotifyingDatabase extends Kysely<Tables> {
  readonly #notifications: NotificationSender;

  constructor(config: KyselyConfig, onError: (error: Error) => void) {
    super(config);
    this.#notifications = new NotificationSender(async (batch) => {
      const [channels, payloads] = [batch.map(({ channel }) => channel), batch.map(({ payload }) => payload)];
      // Commits one after the other must not wait for the disk; nothing is written.
      const sending = sql`
        select set_config('synchronous_commit', 'off', true), pg_notify(channel, payload)
        from unnest(${channels}::text[], ${payloads}::text[]) as n (channel, payload)`;
      await outsideTenants(() => sending.execute(this));
    }, onError);
  }

  override transaction() {
    return runningAfterCommit(super.transaction(), this.#notifications);
  }

  override async destroy(): Promise<void> {
    await this.#notifications.flush();
    await super.destroy();
  }
}

/**
 * Whether statements have their limits. They have none behind a pooler that is not known as one and ignores startup
 * parameters. @throws when the database does not answer
 */
export async function hasTimeLimits(db: Database): Promise<boolean> {
  const { rows } = await sql<{ ms: number }>`
    select extract(epoch from current_setting('statement_timeout')::interval) * 1000 as ms`.execute(db);
  return Number(rows[0]?.ms) === STATEMENT_TIMEOUT_MS;
}

/**
 * Runs work in the transaction that `db` is, or else in its own. For work that must be atomic and may be part of a larger
 * transaction. Every statement in it has to go through `tx`: one that took another connection of the pool could wait for
 * transactions that wait for it.
 */
export async function inTransaction<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return isTransaction(db) ? work(db) : db.transaction().execute(work);
}

function isTransaction(db: Database): db is Tx {
  return db.isTransaction;
}

/**
 * The commit of this transaction does not wait for the disk: a crash of PostgreSQL within the next second may undo the
 * transaction. Only for work that is then repeated anyway.
 */
export async function commitWithoutWaiting(tx: Tx): Promise<void> {
  await sql`set local synchronous_commit = off`.execute(tx);
}

/** SQLSTATE unique_violation. */
const UNIQUE_VIOLATION = '23505';

/** Whether an error is PostgreSQL's refusal of a row by the named unique index or constraint. */
export function violatesUnique(error: unknown, constraint: string): boolean {
  return error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION && error.constraint === constraint;
}
