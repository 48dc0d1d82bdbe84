import { Kysely, PostgresDialect, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { ConnectionWatchdog } from './connection-watchdog.js';
import type { Tables } from './tables.js';

export type Database = Kysely<Tables>;
export type Tx = Transaction<Tables>;

export interface DatabaseOptions {
  readonly url: string;
  /** Connections at most. */
  readonly poolSize?: number;
  /**
   * Whether a query is given up when PostgreSQL has gone silent (after two seconds), or has not answered for longer than
   * a statement may run. Not for migrations, whose statements may be given more time. The default is true.
   */
  readonly abortUnresponsive?: boolean;
  /** Told of connections that broke while nobody was using them, and of those that were given up. */
  readonly onConnectionError: (error: Error) => void;
}

const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 10_000;
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000;
const INT8_OID = 20;

/** int8 keeps every digit; everything else as pg reads it. */
const types = new pg.TypeOverrides();
types.setTypeParser(INT8_OID, BigInt);

/** What every connection has in common. */
export function connectionSettings(url: string) {
  return {
    connectionString: url,
    types,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
  };
}

/**
 * Opens a pool and the query builder over it, which ends the pool when it is destroyed. A connection that the server
 * kills must not end the process: both the pool and every client have an error listener, since a client that is checked
 * out reports to itself alone.
 */
export function openDatabase({
  url,
  poolSize = 10,
  abortUnresponsive = true,
  onConnectionError,
}: DatabaseOptions): Database {
  const connection = connectionSettings(url);
  const pool = new pg.Pool({
    ...connection,
    max: poolSize,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
  });
  pool.on('error', onConnectionError);
  pool.on('connect', (client) => void client.on('error', onConnectionError));
  const watch = new ConnectionWatchdog({ connection, slowestMs: STATEMENT_TIMEOUT_MS, onSilence: onConnectionError });
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: abortUnresponsive ? watch.over(pool) : pool }) });
}

/**
 * Runs work in the transaction that `db` is, or else in one of its own. For what must be whole, and may be part of
 * something larger: inside it every statement has to go through `tx`, since one that took another connection of the
 * pool could wait for those that wait for it.
 */
export async function inTransaction<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  return isTransaction(db) ? work(db) : db.transaction().execute(work);
}

function isTransaction(db: Database): db is Tx {
  return db.isTransaction;
}

/**
 * The commit of this transaction does not wait for the disk: a crash of PostgreSQL may undo it, as a whole, within the
 * second after. Only for what is then done again anyway.
 */
export async function commitWithoutWaiting(tx: Tx): Promise<void> {
  await sql`set local synchronous_commit = off`.execute(tx);
}

/** SQLSTATE codes that repositories turn into refusals. */
const sqlState = { uniqueViolation: '23505' } as const;

/** Whether an error is PostgreSQL's refusal of a row by the named unique index or constraint. */
export function violatesUnique(error: unknown, constraint: string): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === sqlState.uniqueViolation && error.constraint === constraint
  );
}
