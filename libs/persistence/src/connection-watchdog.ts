import type { PostgresCursor, PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import pg from 'pg';
import { preparedQuery } from './prepared-query.js';

export interface SilenceWatchOptions {
  /** Of a connection like those that are watched. */
  readonly connection: pg.ClientConfig;
  /** No statement runs for longer: the server would have cancelled it, and said so. */
  readonly slowestMs: number;
  /** Told when a connection is given up. */
  readonly onSilence: (error: Error) => void;
}

/** An answer that takes longer is late. */
const LATE_MS = 1_000;
/** PostgreSQL welcomes a new connection within this, or is taken to be silent: who waits is told after two seconds. */
const WELCOME_MS = 1_000;
/** What the server's last word may need beyond the slowest statement. */
const SLACK_MS = 2_000;

/**
 * Tells a PostgreSQL that has gone silent from one that is slow. Of a statement that takes long and of a cut cable one
 * sees the same: nothing. So when an answer is late, PostgreSQL is asked in another way: if it welcomes a new connection,
 * the statement may go on for as long as the server lets it; if it does not, the connection with the late answer is
 * destroyed, which fails the query and keeps the pool from handing the connection out again. A plain limit for each
 * query would not do: a short one gives up statements that the server goes on with, under load of all times, and asks
 * for them again; a long one keeps those waiting who should be told to come back later.
 */
export class ConnectionWatchdog {
  private welcome: Promise<boolean> | undefined;

  constructor(private readonly options: SilenceWatchOptions) {}

  /** The pool, with every query on its connections watched. */
  over(pool: pg.Pool): PostgresPool {
    return {
      options: pool.options,
      connect: async () => {
        const client = await pool.connect();
        return new WatchedClient(client, () => this.begin(client));
      },
      end: () => pool.end(),
    };
  }

  /** @returns what ends the watch, once there is an answer */
  private begin(client: pg.PoolClient): () => void {
    const deadline = Date.now() + this.options.slowestMs + SLACK_MS;
    let isOver = false;
    const lookLater = () => setTimeout(() => void look(), LATE_MS);
    const look = async () => {
      const isThere = await this.canConnect();
      if (isOver) return;
      if (isThere && Date.now() < deadline) timer = lookLater();
      else this.giveUp(client);
    };
    let timer = lookLater();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }

  /** Ending a client with a query under way destroys its connection, and the query fails with "Connection terminated". */
  private giveUp(client: pg.PoolClient): void {
    this.options.onSilence(
      new Error('PostgreSQL is silent: a connection was given up with the query that waited on it'),
    );
    void client.end();
  }

  /** However many answers are late, PostgreSQL is asked once at a time. */
  private canConnect(): Promise<boolean> {
    return (this.welcome ??= this.connect().finally(() => (this.welcome = undefined)));
  }

  private async connect(): Promise<boolean> {
    const client = new pg.Client({ ...this.options.connection, connectionTimeoutMillis: WELCOME_MS });
    client.on('error', () => undefined); // what became of `connect` is all there is to know
    try {
      await client.connect();
      return true;
    } catch (error) {
      return error instanceof pg.DatabaseError; // a refusal, as of one connection too many, is an answer as well
    } finally {
      void client.end();
    }
  }
}

/** As the dialect uses a client of the pool. */
class WatchedClient implements PostgresPoolClient {
  constructor(
    private readonly client: PostgresPoolClient & pg.PoolClient,
    private readonly beginWatch: () => () => void,
  ) {}

  query<Row>(text: string, values: readonly unknown[]): Promise<PostgresQueryResult<Row>>;
  query<Row>(cursor: PostgresCursor<Row>): PostgresCursor<Row>;
  query<Row>(asked: string | PostgresCursor<Row>, values: readonly unknown[] = []) {
    if (typeof asked !== 'string') return this.client.query(asked);
    const endWatch = this.beginWatch();
    const answer = this.client.query<pg.QueryResultRow & Row>(preparedQuery(asked, values));
    // The same answer: pg types its command as any text.
    return (answer as Promise<PostgresQueryResult<Row>>).finally(endWatch);
  }

  release(destroy?: boolean): void {
    this.client.release(destroy);
  }
}
