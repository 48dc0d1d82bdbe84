import { exponentialDelayMs, pause } from '@pets/async';
import type { EdgeSnapshotReference } from '@pets/contracts/edge-feed';
import type { Logger } from '@pets/platform';
import { FeedConnection, type FollowedFeed } from './feed-connection.js';
import { FeedError, type FeedTarget } from './feed-session.js';

const RECONNECT_DELAY = { firstMs: 200, maxMs: 5_000 };

/** A snapshot is large, and one that was refused is refused again until the API builds the next one. */
const RELOAD_DELAY = { firstMs: 500, maxMs: 30_000 };

/** Enough for ten million hosts over a slow connection; the loader limits each read. */
const SNAPSHOT_LIMIT_MS = 15 * 60_000;

export interface LoadableFeed extends FollowedFeed {
  /** Called before each session: replaces a damaged table by an empty one. */
  repair(): Promise<void>;
  /** Replaces the table with a snapshot. @throws Error when it cannot be loaded; the table is then unchanged */
  load(reference: EdgeSnapshotReference, signal: AbortSignal): Promise<void>;
  /** An attempt to open a session, or a session, has ended. */
  lost(): void;
}

/**
 * Keeps a session of the feed open: register, synchronize, apply. After a failure it repeats this with backoff. It registers
 * first each time, so that a removal either waits for this edge or is in its first batches. Where the API sends a
 * snapshot instead, it loads it and opens a session after the snapshot's version.
 */
export class FeedFollower {
  readonly #target: FeedTarget;
  readonly #feed: LoadableFeed;
  readonly #now: () => number;
  readonly #log: Logger;
  readonly #stopping = new AbortController();
  #connection: FeedConnection | undefined;
  #running: Promise<void> | undefined;

  constructor(target: FeedTarget, feed: LoadableFeed, now: () => number, log: Logger) {
    this.#target = target;
    this.#feed = feed;
    this.#now = now;
    this.#log = log;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Reports the current state of this edge, if a session is open. */
  acknowledge(): void {
    this.#connection?.acknowledge();
  }

  /** Ends the session, so that this edge registers and synchronizes again. */
  restart(reason: string): void {
    this.#connection?.end(new FeedError(reason));
  }

  /** Resolves when the session has ended and nothing more is applied. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#connection?.stop();
    await this.#running;
  }

  async #run(): Promise<void> {
    let failures = 0;
    let loads = 0;
    while (!this.#stopping.signal.aborted) {
      const { reason, isSynced, snapshot } = await this.#followOnce();
      if (this.#stopping.signal.aborted) return;
      if (isSynced) failures = loads = 0;
      if (snapshot !== undefined && (await this.#load(snapshot))) {
        loads += 1;
        if (loads === 1) continue; // after a second one it waits, because the API cannot continue from its own snapshot
      }
      failures += 1;
      if (snapshot === undefined) {
        this.#log.warn({ err: reason, ...this.#feed.position() }, 'feed session lost; opening another');
      }
      this.#feed.lost();
      const delay = snapshot === undefined ? RECONNECT_DELAY : RELOAD_DELAY;
      await pause(jitter(exponentialDelayMs(delay, failures)), this.#stopping.signal);
    }
  }

  async #followOnce() {
    try {
      await this.#feed.repair();
    } catch (error) {
      return { reason: error, isSynced: false, snapshot: undefined };
    }
    const connection = new FeedConnection(this.#target, this.#feed, this.#now);
    this.#connection = connection;
    const { reason, snapshot } = await connection.run();
    this.#connection = undefined;
    return { reason, isSynced: connection.isSynced, snapshot };
  }

  /** @returns whether the snapshot is the table now */
  async #load(reference: EdgeSnapshotReference): Promise<boolean> {
    const { epoch, version } = reference;
    try {
      const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(SNAPSHOT_LIMIT_MS)]);
      await this.#feed.load(reference, signal);
      return true;
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#log.error({ err: error, epoch, version }, 'snapshot not loaded');
      return false;
    }
  }
}

/** Between half of a delay and all of it, so that edges that lost the API together do not return together. */
function jitter(delayMs: number): number {
  return delayMs * (0.5 + Math.random() / 2);
}
