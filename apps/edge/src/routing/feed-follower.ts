import { exponentialDelayMs, pause } from '@pets/async';
import type { Logger } from '@pets/platform';
import type { ApiClient, FeedPosition } from './api-client.js';
import { FeedError, parseFeed } from './feed-lines.js';
import type { BatchOutcome, FeedBatch } from './route-table.js';

/** For the response and the first batch; short, because a starting edge waits for it before it serves its snapshot. */
const FIRST_MESSAGE_LIMIT_MS = 5_000;

/** Heartbeats come every 5 s: after three missing ones the connection counts as lost. */
const SILENCE_LIMIT_MS = 15_000;

const RECONNECT_DELAY = { firstMs: 200, maxMs: 5_000 };

export interface FollowedFeed {
  readonly edgeId: string;
  position(): FeedPosition;
  /** Registers this edge; false when the API did not accept it. */
  register(): Promise<boolean>;
  apply(batch: FeedBatch): BatchOutcome;
  /** The first batch of a connection was applied, so everything published before `registeredAtMs` is known. */
  onSynced(registeredAtMs: number): void;
  /** An attempt to connect, or a connection, has ended. */
  onLost(): void;
}

/**
 * Keeps a connection to the feed: register, read, apply; after a failure it repeats this with backoff. It registers first each
 * time, so that a removal either waits for this edge or is in its first batch.
 */
export class FeedFollower {
  readonly #api: Pick<ApiClient, 'openFeed'>;
  readonly #feed: FollowedFeed;
  readonly #now: () => number;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #connection = new AbortController();
  #running: Promise<void> | undefined;
  #isSynced = false;

  constructor(api: Pick<ApiClient, 'openFeed'>, feed: FollowedFeed, now: () => number, log: Logger) {
    this.#api = api;
    this.#feed = feed;
    this.#now = now;
    this.#log = log;
  }

  /** Whether this connection has brought the table up to date. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Drops the connection, so that this edge registers and synchronizes again. */
  restart(): void {
    this.#connection.abort(new FeedError('a new registration is required'));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#connection.abort(new FeedError('stopping'));
    await this.#running;
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      const reason = await this.#followOnce();
      failures = this.#isSynced ? 1 : failures + 1;
      this.#isSynced = false;
      if (this.#stopping.signal.aborted) return;
      this.#log.warn({ err: reason, ...this.#feed.position() }, 'feed connection lost; reconnecting');
      this.#feed.onLost();
      await pause(reconnectDelayMs(failures), this.#stopping.signal);
    }
  }

  /** One connection from its registration to its end. @returns why it ended */
  async #followOnce(): Promise<unknown> {
    const connection = new AbortController();
    this.#connection = connection;
    const silent = () => connection.abort(new FeedError('no message in time'));
    let watchdog: NodeJS.Timeout | undefined;
    const expectWithin = (limitMs: number) => {
      clearTimeout(watchdog);
      watchdog = setTimeout(silent, limitMs);
    };
    try {
      const registeredAtMs = this.#now();
      if (!(await this.#feed.register())) return new FeedError('registration failed');
      expectWithin(FIRST_MESSAGE_LIMIT_MS);
      const chunks = await this.#api.openFeed(
        { ...this.#feed.position(), edgeId: this.#feed.edgeId },
        connection.signal,
      );
      await this.#readAll(chunks, registeredAtMs, () =>
        expectWithin(this.#isSynced ? SILENCE_LIMIT_MS : FIRST_MESSAGE_LIMIT_MS),
      );
      return new FeedError('the API ended the feed');
    } catch (error) {
      return connection.signal.aborted ? connection.signal.reason : error;
    } finally {
      clearTimeout(watchdog);
      connection.abort();
    }
  }

  async #readAll(chunks: AsyncIterable<Uint8Array>, registeredAtMs: number, onChunk: () => void): Promise<void> {
    for await (const message of parseFeed(tap(chunks, onChunk))) {
      if (message.kind === 'heartbeat') continue;
      const outcome = this.#feed.apply(message);
      if (outcome.kind === 'gap') throw new FeedError(outcome.reason);
      if (this.#isSynced) continue;
      this.#isSynced = true;
      this.#feed.onSynced(registeredAtMs);
    }
  }
}

/**
 * Between half of the exponential delay and all of it, so that edges that lost the API together do not reconnect together.
 */
function reconnectDelayMs(failures: number): number {
  return exponentialDelayMs(RECONNECT_DELAY, failures) * (0.5 + Math.random() / 2);
}

async function* tap<T>(source: AsyncIterable<T>, onItem: () => void): AsyncGenerator<T> {
  for await (const item of source) {
    onItem();
    yield item;
  }
}
