import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import { asUnavailable } from './unavailable.js';

export interface ConnectionWatchdogOptions {
  /** Settings of the connections that are watched. */
  readonly connection: pg.ClientConfig;
  /** No statement runs for longer: the server cancels it and reports that. */
  readonly statementTimeoutMs: number;
  /** Called when a connection is aborted. */
  readonly onAbort: (error: Error) => void;
}

/** An answer that takes longer is late. */
const LATE_MS = 1_000;
/** PostgreSQL accepts a new connection within this time, or counts as silent: requests fail after two seconds. */
const CONNECT_LIMIT_MS = 1_000;
/** Time for the server's report that it cancelled a statement. */
const REPORT_GRACE_MS = 2_000;

/**
 * Distinguishes a PostgreSQL that has gone silent from one that is slow. A long statement and a cut cable look the same:
 * nothing arrives. So when an answer is late, the watchdog opens a new connection. If PostgreSQL accepts it, the statement
 * may run until the server cancels it. If not, the connection with the late answer is destroyed, which fails the
 * query and keeps the pool from using the connection again.
 *
 * A fixed limit for each query would not do: a short one aborts statements that the server continues, mostly under
 * load, and repeats them; a long one keeps requests waiting that should be refused with "try again".
 */
export class ConnectionWatchdog {
  readonly #options: ConnectionWatchdogOptions;
  #probe: Promise<boolean> | undefined;

  constructor(options: ConnectionWatchdogOptions) {
    this.#options = options;
  }

  /** The pool, with every query on its connections watched. */
  over(pool: pg.Pool): PostgresPool {
    return {
      options: pool.options,
      connect: async () => {
        try {
          const client = await pool.connect();
          return new WatchedClient(client, () => this.#begin(client));
        } catch (error) {
          throw asUnavailable(error);
        }
      },
      end: () => pool.end(),
    };
  }

  /** @returns the function that ends the watch, to be called when the answer is there */
  #begin(client: pg.PoolClient): () => void {
    const deadline = Date.now() + this.#options.statementTimeoutMs + REPORT_GRACE_MS;
    let isOver = false;
    const schedule = () => setTimeout(() => void check(), LATE_MS);
    const check = async () => {
      const isReachable = await this.#canConnect();
      if (isOver) return;
      if (isReachable && Date.now() < deadline) timer = schedule();
      else this.#abort(client);
    };
    let timer = schedule();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  /** Ending a client during a query destroys its connection, and the query fails with "Connection terminated". */
  #abort(client: pg.PoolClient): void {
    this.#options.onAbort(new Error('PostgreSQL does not respond: connection aborted with its query'));
    void client.end();
  }

  /** One probe at a time, however many answers are late. */
  #canConnect(): Promise<boolean> {
    return (this.#probe ??= this.#connect().finally(() => (this.#probe = undefined)));
  }

  async #connect(): Promise<boolean> {
    const client = new pg.Client({ ...this.#options.connection, connectionTimeoutMillis: CONNECT_LIMIT_MS });
    client.on('error', () => undefined); // `connect` reports it
    try {
      await client.connect();
      return true;
    } catch (error) {
      return error instanceof pg.DatabaseError; // a refusal, such as too many connections, is an answer too
    } finally {
      void client.end();
    }
  }
}

/** A client of the pool in the form that the dialect uses. */
class WatchedClient implements PostgresPoolClient {
  readonly #client: PostgresPoolClient & pg.PoolClient;
  readonly #beginWatch: () => () => void;

  constructor(client: PostgresPoolClient & pg.PoolClient, beginWatch: () => () => void) {
    this.#client = client;
    this.#beginWatch = beginWatch;
  }

  query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  query<Row>(query: string | PostgresCursor<Row>, values: readonly unknown[] = []) {
    return typeof query === 'string' ? this.#run<Row>(query, values) : this.#client.query(query);
  }

  async #run<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>> {
    const endWatch = this.#beginWatch();
    try {
      const result: unknown = await this.#client.query<pg.QueryResultRow & Row>(preparedQuery(text, values));
      return result as PostgresQueryResult<Row>; // pg types the command as any text
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      endWatch();
    }
  }

  release(destroy?: boolean): void {
    this.#client.release(destroy);
  }
}

/**
 * Prepared statements a connection. We have far fewer, but a text that contains the number of its values is a new one for
 * each number, and PostgreSQL keeps prepared statements for as long as the connection lives.
 */
const MAX_PREPARED = 500;

const statementNames = new Map<string, string>();

/**
 * A statement that PostgreSQL parses and plans once a connection: for short ones that is most of the work. PostgreSQL
 * still plans for the given values where that pays (PREPARE, "plan_cache_mode").
 */
function preparedQuery(text: string, values: readonly unknown[]): pg.QueryConfig {
  const name = values.length > 0 ? statementName(text) : undefined;
  return name === undefined ? { text, values: [...values] } : { name, text, values: [...values] };
}

function statementName(text: string): string | undefined {
  const known = statementNames.get(text);
  if (known !== undefined) return known;
  if (statementNames.size >= MAX_PREPARED) return undefined;
  const name = `statement_${statementNames.size}`;
  statementNames.set(text, name);
  return name;
}
