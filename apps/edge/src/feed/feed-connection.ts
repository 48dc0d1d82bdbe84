import { pause } from '@pets/async';
import type { EdgeSessionAck, EdgeSessionMessage, EdgeSnapshotReference } from '@pets/contracts/edge-feed';
import type { FeedBatch } from '../store/route-changes.js';
import { FeedError, FeedSession, type FeedPosition, type FeedTarget } from './feed-session.js';

/** Older unconfirmed ones are forgotten: the API confirms the newest. */
const MAX_UNCONFIRMED = 1_024;

/** The acknowledgements that this edge has sent in a session and that the API has not confirmed. */
export class SentAcks {
  readonly #unconfirmed = new Map<number, EdgeSessionAck>();

  addAck(ack: EdgeSessionAck): void {
    this.#unconfirmed.delete(ack.sentAtMs); // moves it to the end
    this.#unconfirmed.set(ack.sentAtMs, ack);
    const [oldest] = this.#unconfirmed.keys();
    if (oldest !== undefined && this.#unconfirmed.size > MAX_UNCONFIRMED) this.#unconfirmed.delete(oldest);
  }

  /**
   * The API has committed the ack that was sent at this time, and with it every earlier one.
   * @returns undefined for a time that this edge did not send: a lease must not depend on it
   */
  confirm(sentAtMs: number): EdgeSessionAck | undefined {
    const ack = this.#unconfirmed.get(sentAtMs);
    if (ack === undefined) return undefined;
    for (const earlier of this.#unconfirmed.keys()) {
      this.#unconfirmed.delete(earlier);
      if (earlier === sentAtMs) break;
    }
    return ack;
  }
}

/** For the connection, and for the answer to the registration. */
const REGISTRATION_LIMIT_MS = 5_000;

/** Heartbeats come every 5 s: after three missing ones the session counts as lost. */
const SILENCE_LIMIT_MS = 15_000;

/** For the answer to a registration when the edge stops. */
const STOP_LIMIT_MS = 2_000;

/** The pause between acknowledgements. The API ends a session that sends more than 200 a second. */
const ACK_PAUSE_MS = 10;

/** Batches that are received and not applied yet. Beyond it the edge stops reading, and reads on below half of it. */
const MAX_QUEUED_BYTES = 8 * 1024 * 1024;

/** Functions that a session calls on this edge. */
export interface FollowedFeed {
  position(): FeedPosition;
  /** The content of the next acknowledgement. */
  describe(): Omit<EdgeSessionAck, 'kind' | 'sentAtMs'>;
  /**
   * Resolves when a batch is durable and every serving process has applied it.
   * @throws FeedError when it does not follow the position
   */
  apply(batch: FeedBatch, signal: AbortSignal): Promise<void>;
  /** The API has committed an acknowledgement. */
  confirmed(ack: EdgeSessionAck): void;
  /** The API asks about origins: about these from now on. */
  asked(origins: readonly string[]): void;
  /** Everything that was published before the registration of this session is applied, and its contact is committed. */
  synced(contactAtMs: number): void;
  /** A later contact of a session that is synced. */
  renewed(contactAtMs: number): void;
}

/**
 * One session: registers, applies the batches in order, acknowledges each, and ends. A session that is lost costs nothing
 * that was applied: the next one continues at the position of the store.
 */
export class FeedConnection {
  readonly #feed: FollowedFeed;
  readonly #now: () => number;
  readonly #session: FeedSession;
  readonly #sent = new SentAcks();
  readonly #registered = Promise.withResolvers<void>();
  readonly #ending = new AbortController();
  #queue: { readonly batch: FeedBatch; readonly bytes: number }[] = [];
  #queuedBytes = 0;
  #isPaused = false;
  #applying: Promise<void> | undefined;
  #contactAtMs: number | undefined;
  #hasRegistered = false;
  #isCurrent = false;
  #isSynced = false;
  #snapshot: EdgeSnapshotReference | undefined;
  #watchdog: NodeJS.Timeout | undefined;
  #nextAck: NodeJS.Timeout | undefined;
  #ackedAtMs = -Infinity;

  constructor(target: FeedTarget, feed: FollowedFeed, now: () => number) {
    this.#feed = feed;
    this.#now = now;
    this.#session = new FeedSession(target, feed.position(), (message, bytes) => this.#receive(message, bytes));
  }

  /** Whether this session has brought the edge up to date. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  /** Runs the session to its end. @returns why it ended, and the snapshot to load if the API sent one */
  async run(): Promise<{ readonly reason: unknown; readonly snapshot?: EdgeSnapshotReference }> {
    let reason: unknown;
    try {
      this.#expectMessage();
      await this.#session.opened();
      this.#hasRegistered = true;
      this.#send();
      reason = await this.#session.ended;
    } catch (error) {
      reason = error;
    }
    this.#ending.abort();
    await this.#applying;
    clearTimeout(this.#watchdog);
    clearTimeout(this.#nextAck);
    return { reason, ...(this.#snapshot !== undefined && { snapshot: this.#snapshot }) };
  }

  /** Reports the current state of this edge, once the API has accepted its registration. */
  acknowledge(): void {
    if (this.#contactAtMs === undefined || this.#nextAck !== undefined) return;
    const waitMs = this.#ackedAtMs + ACK_PAUSE_MS - performance.now();
    if (waitMs <= 0) return this.#send();
    this.#nextAck = setTimeout(() => {
      this.#nextAck = undefined;
      this.#send();
    }, waitMs);
  }

  end(reason: Error): void {
    this.#session.end(reason);
  }

  /** Ends the session in order. The API has then committed the registration, so that it cannot follow a deregistration. */
  async stop(): Promise<void> {
    if (this.#hasRegistered) {
      const limit = new AbortController();
      await Promise.race([this.#registered.promise, this.#session.ended, pause(STOP_LIMIT_MS, limit.signal)]);
      limit.abort();
    }
    await this.#session.close(new FeedError('stopping'));
  }

  #send(): void {
    const ack: EdgeSessionAck = { kind: 'ack', ...this.#feed.describe(), sentAtMs: this.#now() };
    this.#ackedAtMs = performance.now();
    this.#sent.addAck(ack);
    this.#session.send(ack);
  }

  #receive(message: EdgeSessionMessage, bytes: number): void {
    this.#expectMessage();
    switch (message.kind) {
      case 'heartbeat':
        return;
      case 'contact':
        if (message.origins !== undefined) this.#feed.asked(message.origins);
        return this.#confirm(message.contactAtMs);
      case 'batch':
        return this.#enqueue(message, bytes);
      case 'snapshot':
        this.#snapshot = message;
        return this.end(new FeedError('the API sent a snapshot'));
    }
  }

  #confirm(contactAtMs: number): void {
    const ack = this.#sent.confirm(contactAtMs);
    if (ack === undefined) return;
    const isFirst = this.#contactAtMs === undefined;
    this.#contactAtMs = contactAtMs;
    this.#expectMessage();
    this.#registered.resolve();
    this.#feed.confirmed(ack);
    if (this.#isSynced) this.#feed.renewed(contactAtMs);
    else this.#syncIfReady();
    if (isFirst && this.#isCurrent) this.acknowledge(); // the batch came before the contact
  }

  #enqueue(batch: FeedBatch, bytes: number): void {
    this.#queue.push({ batch, bytes });
    this.#queuedBytes += bytes;
    if (!this.#isPaused && this.#queuedBytes > MAX_QUEUED_BYTES) this.#session.isPaused = this.#isPaused = true;
    this.#applying ??= this.#applyQueue();
  }

  async #applyQueue(): Promise<void> {
    try {
      while (this.#queue.length > 0) {
        for (const { batch, bytes } of this.#queue.splice(0)) {
          if (this.#ending.signal.aborted) return;
          await this.#feed.apply(batch, this.#ending.signal);
          this.#dequeued(bytes);
          if (isComplete(batch)) this.#applied();
        }
      }
    } catch (error) {
      this.end(error instanceof Error ? error : new FeedError(String(error)));
    } finally {
      this.#applying = undefined;
    }
  }

  #dequeued(bytes: number): void {
    this.#queuedBytes -= bytes;
    if (this.#isPaused && this.#queuedBytes < MAX_QUEUED_BYTES / 2) this.#session.isPaused = this.#isPaused = false;
  }

  #applied(): void {
    this.#isCurrent = true;
    this.#syncIfReady();
    this.acknowledge();
  }

  #syncIfReady(): void {
    if (this.#isSynced || !this.#isCurrent || this.#contactAtMs === undefined) return;
    this.#isSynced = true;
    this.#feed.synced(this.#contactAtMs);
  }

  #expectMessage(): void {
    clearTimeout(this.#watchdog);
    const limitMs = this.#contactAtMs === undefined ? REGISTRATION_LIMIT_MS : SILENCE_LIMIT_MS;
    this.#watchdog = setTimeout(() => this.end(new FeedError('no message in time')), limitMs);
  }
}

/** Whether a batch ends a step (`MAX_BATCH_ENTRIES` in contracts); a part of one changes hosts but not the version. */
function isComplete({ after, version, entries }: FeedBatch): boolean {
  return version > after || entries.length === 0;
}
