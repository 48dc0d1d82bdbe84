import { Socket } from 'node:net';
import pg from 'pg';
import { connectionTo, type DatabaseAddress } from './database.js';
import { asUnavailable, setTransactionLimits } from './pool-client.js';

/** A statement that is prepared once on each connection, under its name, where connections keep prepared statements. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | Buffer | null)[];
}

export interface PipelineOptions extends DatabaseAddress {
  readonly connections: number;
  /** Called when a connection breaks. */
  readonly onConnectionError: (error: Error) => void;
}

/** A query without an answer for this long aborts its connection and all queries on it: none of them takes that long. */
const ANSWER_TIMEOUT_MS = 2_000;

/**
 * Connections for short single statements, with many in flight on each. Statements of one tick of the event loop are sent
 * in one write and answered by one PostgreSQL process that is awake already; a pool would write to, and wake, one process
 * a query. Each statement is its own transaction, so a failure affects no other. But one that waits delays those behind
 * it, so statements that can meet a lock belong in the pool.
 */
export class Pipeline {
  readonly #connections: readonly PipelinedConnection[];
  #next = 0;

  constructor(options: PipelineOptions) {
    this.#connections = Array.from({ length: options.connections }, () => new PipelinedConnection(options));
  }

  /** @throws DependencyUnavailable when the connection broke: whether the statement was run is then unknown */
  query<Row extends pg.QueryResultRow>(statement: PreparedStatement): Promise<pg.QueryResult<Row>> {
    this.#next = (this.#next + 1) % this.#connections.length;
    const connection = this.#connections[this.#next];
    if (connection === undefined) throw new Error('a pipeline needs a connection');
    return connection.query<Row>(statement);
  }

  /** Waits for queries in flight. */
  async close(): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }
}

/** One connection, opened on first use and again after it broke. */
class PipelinedConnection {
  readonly #options: PipelineOptions;
  readonly #connection: ReturnType<typeof connectionTo>;
  #open: { readonly client: pg.Client; readonly socket: Socket } | undefined;
  #connecting: Promise<void> | undefined;

  constructor(options: PipelineOptions) {
    this.#options = options;
    this.#connection = connectionTo(options);
  }

  async query<Row extends pg.QueryResultRow>(statement: PreparedStatement): Promise<pg.QueryResult<Row>> {
    try {
      if (this.#open === undefined) await (this.#connecting ??= this.#connect());
      if (this.#open === undefined) throw new Error('Connection terminated');
      const { client, socket } = this.#open;
      if (socket.writableCorked === 0) {
        socket.cork();
        setImmediate(uncork, socket);
      }
      const { isPooled, isPrepared } = this.#connection;
      const { name, text, values } = statement as PreparedStatement & { values: unknown[] };
      const query = isPrepared ? { name, text, values } : { text, values };
      if (!isPooled) return await client.query<Row>(query);
      const begun = client.query(`begin; ${setTransactionLimits}`);
      const [, result] = await Promise.all([begun, client.query<Row>(query), client.query('commit')]);
      return result;
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  async close(): Promise<void> {
    await this.#connecting?.catch(() => undefined);
    await this.#open?.client.end();
  }

  async #connect(): Promise<void> {
    const socket = new Socket();
    const client = new pg.Client({
      ...this.#connection.settings,
      query_timeout: ANSWER_TIMEOUT_MS,
      pipeline: true,
      stream: () => socket,
    });
    client.on('error', (error) => {
      this.#open = undefined;
      this.#options.onConnectionError(error);
    });
    client.on('end', () => (this.#open = undefined));
    try {
      await client.connect();
      this.#open = { client, socket };
    } finally {
      this.#connecting = undefined;
    }
  }
}

function uncork(socket: Socket): void {
  socket.uncork();
}
