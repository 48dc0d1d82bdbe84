import { DependencyUnavailable } from '@pets/platform';
import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';

export interface PoolClientOptions {
  /** Whether a pooler in transaction mode is between us and PostgreSQL. */
  readonly isPooled: boolean;
  /** Whether the connection keeps prepared statements. */
  readonly isPrepared: boolean;
  /** Called when a query is sent. @returns the function to call when the answer is there */
  readonly beginWatch: () => () => void;
  /** Called when the connection is given back. */
  readonly onRelease?: (() => void) | undefined;
}

const transactionBegins = /^(?:begin|start transaction)\b/;
const transactionEnds = /^(?:commit|rollback)$/;

/** A client of the pool in the form that the dialect uses. Behind a pooler, every statement runs in a transaction with limits. */
export class PoolClient implements PostgresPoolClient {
  readonly #client: PostgresPoolClient & pg.PoolClient;
  readonly #options: PoolClientOptions;
  #isInTransaction = false;
  #isBroken = false;

  constructor(client: PostgresPoolClient & pg.PoolClient, options: PoolClientOptions) {
    this.#client = client;
    this.#options = options;
  }

  query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  query<Row>(query: string | PostgresCursor<Row>, values: readonly unknown[] = []) {
    if (typeof query !== 'string') return this.#client.query(query);
    return this.#options.isPooled ? this.#runPooled<Row>(query, values) : this.#send<Row>(query, values);
  }

  release(destroy = false): void {
    this.#client.release(destroy || this.#isBroken);
    this.#options.onRelease?.();
  }

  async #runPooled<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    if (transactionBegins.test(text)) {
      const begun = await this.#send<Row>(`${text}; ${setTransactionLimits}`, values);
      this.#isInTransaction = true;
      return begun;
    }
    if (this.#isInTransaction) {
      if (transactionEnds.test(text)) this.#isInTransaction = false;
      return this.#send(text, values);
    }
    await this.#send(`begin; ${setTransactionLimits}`, []);
    try {
      const result = await this.#send<Row>(text, values);
      await this.#send('commit', []);
      return result;
    } catch (error) {
      await this.#send('rollback', []).catch(() => (this.#isBroken = true));
      throw error;
    }
  }

  async #send<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    const endWatch = this.#options.beginWatch();
    const name = this.#options.isPrepared && values.length > 0 ? statementName(text) : undefined;
    try {
      const query: pg.QueryConfig = { ...(name !== undefined && { name }), text, values: [...values] };
      const result: unknown = await this.#client.query<pg.QueryResultRow & Row>(query);
      return result as PostgresQueryResult<Row>; // pg types the command as any text
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      endWatch();
    }
  }
}

/**
 * Prepared statements a connection. We have far fewer, but a text that contains the number of its values is a new one for
 * each number, and PostgreSQL keeps prepared statements for as long as the connection lives.
 */
const MAX_PREPARED = 500;

const statementNames = new Map<string, string>();

/**
 * The name of a statement that PostgreSQL parses and plans once a connection: for short ones that is most of the work.
 * PostgreSQL still plans for the given values where that pays (PREPARE, "plan_cache_mode").
 */
function statementName(text: string): string | undefined {
  const known = statementNames.get(text);
  if (known !== undefined) return known;
  if (statementNames.size >= MAX_PREPARED) return undefined;
  const name = `statement_${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}

/** No statement runs for longer: the server cancels it and reports that. */
export const STATEMENT_TIMEOUT_MS = 10_000;
const IDLE_TRANSACTION_TIMEOUT_MS = 10_000;

/** Limits of a connection to PostgreSQL itself, which node-postgres sends when it connects. */
export const connectionLimits = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
} as const;

/**
 * The same limits as the first statements of a transaction, after its `begin`. A pooler in transaction mode refuses or
 * drops what a client sends when it connects, and gives each transaction another connection.
 */
export const setTransactionLimits = Object.entries(connectionLimits)
  .map(([name, ms]) => `set local ${name} = ${ms}`)
  .join('; ');

/** SQLSTATEs of a server or a pooler that is stopping, starting or full, or whose connection broke. */
const unavailableStates: ReadonlySet<string | undefined> = new Set([
  '08003', // connection_does_not_exist
  '08006', // connection_failure
  '08P01', // protocol_violation: PgBouncer reports each failure of its own so
  '53300', // too_many_connections
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
]);

/**
 * Returns the error to throw for one of pg: `DependencyUnavailable` where PostgreSQL gave no answer. pg throws answers
 * of the server as `DatabaseError` and broken connections as a plain `Error`; errors of other classes are bugs.
 */
export function asUnavailable(error: unknown): unknown {
  const isUnavailable =
    error instanceof pg.DatabaseError
      ? unavailableStates.has(error.code)
      : !(error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError);
  return isUnavailable ? new DependencyUnavailable('PostgreSQL', error) : error;
}
