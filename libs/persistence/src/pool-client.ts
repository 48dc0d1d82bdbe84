import type { PostgresCursor, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import type pg from 'pg';
import { setTransactionLimits } from './time-limits.js';
import { asUnavailable } from './unavailable.js';

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
