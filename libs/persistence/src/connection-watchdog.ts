import { DependencyUnavailable } from '@pets/platform';
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import type { ConnectionShares } from './connection-shares.js';
import { asUnavailable, PoolClient, type PoolClientOptions } from './pool-client.js';

export interface ConnectionWatchdogOptions {
  /** Servers that have to accept new connections: PostgreSQL, and the pooler before it. */
  readonly probed: readonly pg.ClientConfig[];
  /** No statement runs for longer: the server cancels it and reports that. */
  readonly statementTimeoutMs: number;
  /** Called when a connection is aborted. */
  readonly onAbort: (error: Error) => void;
}

/** An answer that takes longer is late. */
const LATE_MS = 1_000;
/**
 * PostgreSQL accepts a new connection within this time, or counts as silent: requests fail within two seconds, and before
 * those that wait for them give up.
 */
const CONNECT_LIMIT_MS = 900;
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

  /** The pool, with every query on its connections watched. @param shares of the pool's connections */
  over(
    pool: pg.Pool,
    options: Omit<PoolClientOptions, 'beginWatch' | 'onRelease'>,
    shares?: ConnectionShares,
  ): PostgresPool {
    return {
      options: pool.options,
      connect: async () => {
        const onRelease = await shares?.enter();
        try {
          const client = await pool.connect();
          return new PoolClient(client, { ...options, onRelease, beginWatch: () => this.#begin(client, shares) });
        } catch (error) {
          onRelease?.();
          throw asUnavailable(error);
        }
      },
      end: () => pool.end(),
    };
  }

  /** @returns the function that ends the watch, to be called when the answer is there */
  #begin(client: pg.PoolClient, shares: ConnectionShares | undefined): () => void {
    const deadline = Date.now() + this.#options.statementTimeoutMs + REPORT_GRACE_MS;
    let isOver = false;
    const schedule = () => setTimeout(() => void check(), LATE_MS);
    const check = async () => {
      const isReachable = await this.#canConnect();
      if (isOver) return;
      if (isReachable && Date.now() < deadline) timer = schedule();
      else this.#abort(client, shares);
    };
    let timer = schedule();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  /** Ending a client during a query destroys its connection, and the query fails with "Connection terminated". */
  #abort(client: pg.PoolClient, shares: ConnectionShares | undefined): void {
    const error = new Error('PostgreSQL does not respond: connection aborted with its query');
    this.#options.onAbort(error);
    shares?.rejectWaiting(new DependencyUnavailable('PostgreSQL', error));
    void client.end();
  }

  /** One probe at a time, however many answers are late. */
  #canConnect(): Promise<boolean> {
    return (this.#probe ??= this.#connectToAll().finally(() => (this.#probe = undefined)));
  }

  async #connectToAll(): Promise<boolean> {
    return (await Promise.all(this.#options.probed.map(canConnect))).every(Boolean);
  }
}

async function canConnect(settings: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client({ ...settings, connectionTimeoutMillis: CONNECT_LIMIT_MS });
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
