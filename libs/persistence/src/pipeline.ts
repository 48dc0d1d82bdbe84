import { Socket } from 'node:net';
import pg from 'pg';
import { connectionSettings } from './database.js';

/** A statement that is prepared once on each connection, under its name. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly (string | Buffer | null)[];
}

export interface PipelineOptions {
  readonly url: string;
  readonly connections: number;
  /** Told of connections that broke. */
  readonly onConnectionError: (error: Error) => void;
}

/**
 * A connection on which nothing comes back for so long is given up, with all that waits on it. None of these statements
 * takes that long, so here silence need not be told from slowness.
 */
const ANSWER_TIMEOUT_MS = 2_000;

/**
 * Connections for short single statements, many under way on each: what is asked in one turn of the event loop goes out
 * in one write and is answered by one awake PostgreSQL process, where a pool would write to, and wake, one a query. Each
 * statement is a transaction of its own, so a failure is its alone; but one that waits makes those behind it wait, so
 * what can meet a lock belongs in the pool.
 */
export class Pipeline {
  private readonly lanes: readonly PipelinedConnection[];
  private next = 0;

  constructor(options: PipelineOptions) {
    this.lanes = Array.from({ length: options.connections }, () => new PipelinedConnection(options));
  }

  /** @throws Error of PostgreSQL, or of a connection that broke: whether the statement was run is then unknown */
  query<Row extends pg.QueryResultRow>(statement: PreparedStatement): Promise<pg.QueryResult<Row>> {
    this.next = (this.next + 1) % this.lanes.length;
    const lane = this.lanes[this.next];
    if (lane === undefined) throw new Error('a pipeline needs a connection');
    return lane.query<Row>(statement);
  }

  /** Waits for what is under way. */
  async close(): Promise<void> {
    await Promise.all(this.lanes.map((lane) => lane.close()));
  }
}

/** One connection, opened when it is first needed and again after it broke. */
class PipelinedConnection {
  private connected: { readonly client: pg.Client; readonly socket: Socket } | undefined;
  private connecting: Promise<void> | undefined;

  constructor(private readonly options: PipelineOptions) {}

  async query<Row extends pg.QueryResultRow>(statement: PreparedStatement): Promise<pg.QueryResult<Row>> {
    if (this.connected === undefined) await (this.connecting ??= this.connect());
    if (this.connected === undefined) throw new Error('Connection terminated');
    const { client, socket } = this.connected;
    if (socket.writableCorked === 0) {
      socket.cork();
      setImmediate(uncork, socket);
    }
    return client.query<Row>(statement as { name: string; text: string; values: unknown[] });
  }

  async close(): Promise<void> {
    await this.connecting?.catch(() => undefined);
    await this.connected?.client.end();
  }

  private async connect(): Promise<void> {
    const socket = new Socket();
    const client = new pg.Client({
      ...connectionSettings(this.options.url),
      query_timeout: ANSWER_TIMEOUT_MS,
      pipeline: true,
      stream: () => socket,
    });
    client.on('error', (error) => {
      this.connected = undefined;
      this.options.onConnectionError(error);
    });
    client.on('end', () => (this.connected = undefined));
    try {
      await client.connect();
      this.connected = { client, socket };
    } finally {
      this.connecting = undefined;
    }
  }
}

function uncork(socket: Socket): void {
  socket.uncork();
}
