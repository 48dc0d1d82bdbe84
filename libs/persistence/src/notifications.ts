import { EventEmitter } from 'node:events';
import { sql, type RawBuilder } from 'kysely';
import pg from 'pg';
import { afterCommit, channels, type Channel } from './after-commit.js';
import type { Database, Tx } from './database.js';

const RECONNECT_MS = 1_000;
const CONNECT_TIMEOUT_MS = 2_000;

/**
 * Wakes the channel's listeners, in every process, once the transaction has committed. The notification has a transaction
 * of its own after it, which does not delay others.
 */
export async function notify(db: Database | Tx, channel: Channel, payload = ''): Promise<void> {
  const isSentLater = db.isTransaction && afterCommit(db, (notifications) => notifications.send(channel, payload));
  if (!isSentLater) await sql`select ${notification(channel, payload)}`.execute(db);
}

/**
 * A notification as part of a statement, which saves a second commit. Only for statements that are rare or wake somebody who
 * waits: transactions with one commit one after the other, in the complete cluster.
 */
export function notification(channel: Channel, payload = ''): RawBuilder<unknown> {
  return sql`pg_notify(${channel}, ${payload})`;
}

/** Listens on its own connection, and reconnects when that breaks. */
export class NotificationListener {
  readonly #url: string;
  readonly #onConnectionError: (error: Error) => void;
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  #client: pg.Client | null = null;
  #reconnectTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(url: string, onConnectionError: (error: Error) => void) {
    this.#url = url;
    this.#onConnectionError = onConnectionError;
  }

  /** Connects; when that fails, it retries in the background. */
  async open(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
    });
    client.on('error', (error) => this.#reconnect(client, error));
    client.on('end', () => this.#reconnect(client, null));
    client.on('notification', ({ channel, payload }) => this.#emitter.emit(channel, payload ?? ''));
    this.#client = client;
    try {
      await client.connect();
      await client.query(channels.map((channel) => `listen ${channel}`).join(';'));
      // Notifications may have been lost while there was no connection, so every listener is woken once.
      for (const channel of channels) this.#emitter.emit(channel, '');
    } catch (error) {
      this.#reconnect(client, error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Calls back at every wake-up. @returns the function that removes the listener */
  on(channel: Channel, wake: (payload: string) => void): () => void {
    this.#emitter.on(channel, wake);
    return () => void this.#emitter.off(channel, wake);
  }

  /** Resolves at the next wake-up, or after `limitMs`, or when the signal fires; never rejects. */
  async next(channel: Channel, limitMs: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#emitter.off(channel, done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, limitMs);
      this.#emitter.on(channel, done);
      signal?.addEventListener('abort', done);
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#reconnectTimer);
    const client = this.#client;
    this.#client = null;
    await client?.end().catch(this.#onConnectionError);
  }

  #reconnect(broken: pg.Client, error: Error | null): void {
    if (this.#isClosed || this.#client !== broken) return;
    this.#client = null;
    if (error !== null) this.#onConnectionError(error);
    broken.removeAllListeners().on('error', this.#onConnectionError);
    void broken.end().catch(this.#onConnectionError);
    this.#reconnectTimer = setTimeout(() => void this.open(), RECONNECT_MS);
  }
}
