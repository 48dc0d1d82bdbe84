import { performance } from 'node:perf_hooks'; // the global one is a getter, which is called at each use
import { LinkedList, type Linked } from '../platform/linked-list.js';
import { SendQueueMonitor, type MonitoredConnection } from './tcp-send-queues.js';
import { creditAfter, isStalled, SLICE_BYTES } from './minimum-rate.js';

/**
 * All writes of replies that clients have not taken yet. Periodic checks end those that take too long (`minimum-rate.ts`).
 * Each write holds memory, so there are limits for all of them and for those of one address: beyond a limit, the address that
 * holds most loses the connection that has waited longest.
 */

/**
 * Reasons why a reply was ended: below the minimum rate, to free memory for others, or because there was no memory for
 * it.
 */
export const sendEndReasons = ['stalled', 'evicted', 'refused'] as const;
export type SendEndReason = (typeof sendEndReasons)[number];

export interface SendLimits {
  /** Held by all pending writes together. */
  readonly totalBytes: number;
  /** Held by the writes of one address; Infinity when all visitors have the same address. */
  readonly bytesPerAddress: number;
}

const noLimits: SendLimits = { totalBytes: Infinity, bytesPerAddress: Infinity };

/** The part of a connection that is tracked. */
export interface SendingConnection extends MonitoredConnection {
  readonly addressGroup: string;
  /** Held by its pending writes. */
  heldBytes: number;
  /** Held by its queued requests. */
  waitingBytes: number;
  /** Stalled replies. Every slice that the client takes afterwards subtracts one. */
  stalledReplies: number;
  /** Time since which writes are pending and none has completed. */
  waitingSinceMs: number | undefined;
  latestCompletedStartMs: number;
  /** Ends the connection and everything in progress on it. */
  endStalled(isStuck: boolean): void;
}

/** Memory of an open request besides its bytes; an HTTP/2 stream takes most, measured at 11 KiB. */
const OVERHEAD_BYTES = 12 * 1024;
/** A younger write is not evicted for another of the same size: a client on a good network takes a slice in less time. */
const MIN_EVICTION_AGE_MS = 1_000;
const CHECK_INTERVAL_MS = 2_500;
/** More stalled replies, not compensated by completed ones, end the connection. */
const MAX_STALLED_REPLIES = 20;
/** A connection that takes nothing for this long is ended, even if it cancels and repeats its requests. */
const CONNECTION_LIMIT_MS = 30_000;
/** A connection that holds more reads files in small pieces. */
const TIGHT_CONNECTION_BYTES = 512 * 1024;
/** The same for all connections of an address, or for all, above this part of their limit. */
const TIGHT_SHARE = 1 / 4;

/** The reply that a write belongs to. */
export interface SendingReply {
  /** Ends the reply, but not its connection if that has other replies. */
  abortStalled(): void;
}

/** The current write of one reply. */
export class PendingWrite implements Linked<PendingWrite> {
  /** Others of the address. */
  earlier: PendingWrite | undefined;
  later: PendingWrite | undefined;
  /** Undefined while nothing is pending. */
  usage: AddressUsage | undefined;
  bytes = 0;
  heldBytes = 0;
  beganAtMs = 0;
  creditMs = 0;
  isAborted = false;

  constructor(
    readonly connection: SendingConnection,
    readonly reply: SendingReply,
  ) {}
}

/** The memory that the connections of one address hold. */
interface AddressUsage {
  heldBytes: number;
  /** In the order of their start. */
  readonly writes: LinkedList<PendingWrite>;
}

export class PendingWrites {
  readonly #limits: SendLimits;
  readonly #onEnding: (ending: SendEndReason) => void;
  readonly #now: () => number;
  readonly #usageByAddress = new Map<string, AddressUsage>();
  readonly #sendQueues: SendQueueMonitor;
  #heldBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor(
    limits: SendLimits = noLimits,
    onEnding: (ending: SendEndReason) => void = () => undefined,
    now: () => number = () => performance.now(),
  ) {
    this.#limits = limits;
    this.#onEnding = onEnding;
    this.#now = now;
    this.#sendQueues = new SendQueueMonitor(now);
  }

  /** Memory held by all pending writes. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Checks periodically: a timer for each write would add cost to every reply. */
  start(): void {
    this.#timer ??= setInterval(() => void this.check(), CHECK_INTERVAL_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Counts a write that is about to start.
   * @param readAhead additional memory that the reply holds
   * @returns false when there is no memory for it
   */
  beginWrite(write: PendingWrite, bytes: number, readAhead = 0): boolean {
    const { connection } = write;
    const heldBytes = OVERHEAD_BYTES + bytes + readAhead;
    const usage = this.#usageOf(connection.addressGroup);
    if (!this.#hasRoom(usage, heldBytes)) {
      this.#onEnding('refused');
      return false;
    }
    write.bytes = bytes;
    write.heldBytes = heldBytes;
    write.beganAtMs = this.#now();
    write.usage = usage;
    usage.writes.add(write);
    usage.heldBytes += heldBytes;
    connection.heldBytes += heldBytes;
    connection.waitingSinceMs ??= write.beganAtMs;
    this.#heldBytes += heldBytes;
    return true;
  }

  /** The client has taken the write. */
  complete(write: PendingWrite): void {
    const { connection, bytes, creditMs, beganAtMs } = write;
    if (!this.#remove(write)) return;
    const nowMs = this.#now();
    connection.latestCompletedStartMs = Math.max(connection.latestCompletedStartMs, beganAtMs);
    write.creditMs = creditAfter(creditMs, bytes, nowMs - beganAtMs);
    connection.waitingSinceMs = connection.heldBytes > 0 ? nowMs : undefined;
    if (connection.stalledReplies > 0)
      connection.stalledReplies = Math.max(0, connection.stalledReplies - bytes / SLICE_BYTES);
  }

  /** The write will not complete. */
  drop(write: PendingWrite): void {
    this.#remove(write);
  }

  /** Counts a request that waits for others of its connection. @returns false when there is no memory for it */
  beginWaiting(connection: SendingConnection): boolean {
    const usage = this.#usageOf(connection.addressGroup);
    if (!this.#hasRoom(usage, OVERHEAD_BYTES)) {
      this.#onEnding('refused');
      return false;
    }
    connection.waitingBytes += OVERHEAD_BYTES;
    usage.heldBytes += OVERHEAD_BYTES;
    this.#heldBytes += OVERHEAD_BYTES;
    return true;
  }

  /** Ends the wait of a request, or of all requests of a connection that was closed. */
  endWaiting(connection: SendingConnection, bytes = Math.min(OVERHEAD_BYTES, connection.waitingBytes)): void {
    const usage = this.#usageByAddress.get(connection.addressGroup);
    if (usage === undefined) return;
    connection.waitingBytes -= bytes;
    usage.heldBytes -= bytes;
    this.#heldBytes -= bytes;
  }

  /** Whether memory is short, so that files are read in small pieces. */
  isTight(connection: SendingConnection): boolean {
    const usage = this.#usageByAddress.get(connection.addressGroup);
    return (
      connection.heldBytes > TIGHT_CONNECTION_BYTES ||
      this.#heldBytes > this.#limits.totalBytes * TIGHT_SHARE ||
      (usage?.heldBytes ?? 0) > this.#limits.bytesPerAddress * TIGHT_SHARE
    );
  }

  /** Ends stalled replies and connections. Never rejects. */
  async check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const slow = this.#slowWrites();
      await this.#sendQueues.sample(new Set(slow.map(({ connection }) => connection)));
      for (const write of slow) this.#endIfStalled(write);
      this.#endSilentConnections();
    } finally {
      this.#isChecking = false;
    }
  }

  /** Writes that started before the last check. Also deletes the usage of addresses that hold nothing. */
  #slowWrites(): readonly PendingWrite[] {
    const slow: PendingWrite[] = [];
    const beganBefore = this.#now() - CHECK_INTERVAL_MS;
    for (const [group, { writes, heldBytes }] of this.#usageByAddress) {
      if (heldBytes === 0) this.#usageByAddress.delete(group);
      for (let write = writes.first; write !== undefined && write.beganAtMs <= beganBefore; write = write.later)
        slow.push(write);
    }
    return slow;
  }

  #endIfStalled(write: PendingWrite): void {
    const { connection, bytes, beganAtMs, creditMs } = write;
    if (write.usage === undefined) return;
    const sendQueue = this.#sendQueues.stateOf(write);
    if (!isStalled({ bytes, creditMs, sendQueue, ageMs: this.#now() - beganAtMs })) return;
    connection.stalledReplies += 1;
    // A stream reset would wait behind the data that the client does not read; a reply that was reset before does so.
    const mustEndConnection =
      sendQueue === 'stuck' || write.isAborted || connection.stalledReplies > MAX_STALLED_REPLIES;
    this.#onEnding('stalled');
    write.isAborted = true;
    if (mustEndConnection) this.#endConnection(connection, sendQueue === 'stuck');
    else write.reply.abortStalled();
  }

  #endSilentConnections(): void {
    const before = this.#now() - CONNECTION_LIMIT_MS;
    const silent = new Set<SendingConnection>();
    for (const { writes } of this.#usageByAddress.values()) {
      for (const write of writes.items) {
        const { connection } = write;
        if (connection.waitingSinceMs === undefined || connection.waitingSinceMs > before) continue;
        if (this.#sendQueues.stateOf(write) !== 'draining') silent.add(connection);
      }
    }
    for (const connection of silent) this.#endConnection(connection, true);
  }

  #hasRoom(usage: AddressUsage, bytes: number): boolean {
    const { totalBytes, bytesPerAddress } = this.#limits;
    while (usage.heldBytes + bytes > bytesPerAddress) if (!this.#evictFrom(usage, MIN_EVICTION_AGE_MS)) return false;
    while (this.#heldBytes + bytes > totalBytes) {
      const largest = this.#largest() ?? usage;
      // An address that holds little may evict even new writes of one that holds much.
      const isSmall = 2 * (usage.heldBytes + bytes) < largest.heldBytes;
      if (!this.#evictFrom(largest, isSmall ? 0 : MIN_EVICTION_AGE_MS)) return false;
    }
    return true;
  }

  #largest(): AddressUsage | undefined {
    let largest: AddressUsage | undefined;
    for (const usage of this.#usageByAddress.values())
      if (largest === undefined || usage.heldBytes > largest.heldBytes) largest = usage;
    return largest;
  }

  /** @returns false when no write has waited long enough */
  #evictFrom(usage: AddressUsage, minAgeMs: number): boolean {
    const { first: oldest } = usage.writes;
    if (oldest === undefined || this.#now() - oldest.beganAtMs < minAgeMs) return false;
    this.#onEnding('evicted');
    this.#endConnection(oldest.connection, true);
    return true;
  }

  /** Stops counting its memory at once, although closing takes a moment. */
  #endConnection(connection: SendingConnection, isStuck: boolean): void {
    const writes = this.#usageByAddress.get(connection.addressGroup)?.writes.items ?? [];
    for (const write of writes) if (write.connection === connection) this.#remove(write);
    this.endWaiting(connection, connection.waitingBytes);
    connection.endStalled(isStuck);
  }

  #remove(write: PendingWrite): boolean {
    const { connection, heldBytes, usage } = write;
    if (usage === undefined) return false;
    write.usage = undefined;
    usage.writes.delete(write);
    usage.heldBytes -= heldBytes;
    connection.heldBytes -= heldBytes;
    this.#heldBytes -= heldBytes;
    return true;
  }

  #usageOf(group: string): AddressUsage {
    const existing = this.#usageByAddress.get(group);
    if (existing !== undefined) return existing;
    const usage: AddressUsage = { heldBytes: 0, writes: new LinkedList() };
    this.#usageByAddress.set(group, usage);
    return usage;
  }
}
