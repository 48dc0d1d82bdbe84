import { LinkWatch, type WatchedConnection } from './link-watch.js';
import { creditAfter, isStalled, SLICE_BYTES } from './minimum-rate.js';

/**
 * All writes of replies that clients have not taken yet. Periodic checks end those that take too long (`minimum-rate.ts`).
 * Each write holds memory, so there are limits for all of them and for those of one address: beyond a limit, the address that
 * holds most loses the connection that has waited longest.
 */

/** Why a reply was ended: below the minimum rate, to free memory for others, or because there was no memory for it. */
export const sendEndings = ['stalled', 'evicted', 'refused'] as const;
export type SendEnding = (typeof sendEndings)[number];

export interface SendLimits {
  /** Held by all pending writes together. */
  readonly totalBytes: number;
  /** Held by the writes of one address; Infinity when all visitors have the same address. */
  readonly bytesPerAddress: number;
}

const noLimits: SendLimits = { totalBytes: Infinity, bytesPerAddress: Infinity };

/** The part of a connection that is tracked. */
export interface SendingConnection extends WatchedConnection {
  readonly addressGroup: string;
  /** Held by its pending writes. */
  heldBytes: number;
  /** Held by its queued requests. */
  waitingBytes: number;
  /** Stalled replies, less those that the client has taken since. */
  stalledReplies: number;
  /** Since when writes are pending and none has completed. */
  waitingSinceMs: number | undefined;
  completedFromMs: number;
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

/** The current write of one reply. */
export class PendingWrite {
  bytes = 0;
  heldBytes = 0;
  beganAtMs = 0;
  creditMs = 0;
  isAborted = false;

  constructor(
    readonly connection: SendingConnection,
    /** Ends the reply, but not its connection if that has other replies. */
    readonly abort: () => void,
  ) {}
}

interface Account {
  heldBytes: number;
  /** In the order of their start. */
  readonly writes: Set<PendingWrite>;
}

export class PendingWrites {
  readonly #limits: SendLimits;
  readonly #onEnding: (ending: SendEnding) => void;
  readonly #now: () => number;
  readonly #accounts = new Map<string, Account>();
  readonly #links: LinkWatch;
  #heldBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;

  constructor(
    limits: SendLimits = noLimits,
    onEnding: (ending: SendEnding) => void = () => undefined,
    now: () => number = () => performance.now(),
  ) {
    this.#limits = limits;
    this.#onEnding = onEnding;
    this.#now = now;
    this.#links = new LinkWatch(now);
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
   * @param readAhead memory that the reply holds besides
   * @returns false when there is no memory for it
   */
  begin(write: PendingWrite, bytes: number, readAhead = 0): boolean {
    const { connection } = write;
    const heldBytes = OVERHEAD_BYTES + bytes + readAhead;
    const account = this.#accountOf(connection.addressGroup);
    if (!this.#hasRoom(account, heldBytes)) {
      this.#onEnding('refused');
      return false;
    }
    write.bytes = bytes;
    write.heldBytes = heldBytes;
    write.beganAtMs = this.#now();
    account.writes.add(write);
    account.heldBytes += heldBytes;
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
    connection.completedFromMs = Math.max(connection.completedFromMs, beganAtMs);
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
    const account = this.#accountOf(connection.addressGroup);
    if (!this.#hasRoom(account, OVERHEAD_BYTES)) {
      this.#onEnding('refused');
      return false;
    }
    connection.waitingBytes += OVERHEAD_BYTES;
    account.heldBytes += OVERHEAD_BYTES;
    this.#heldBytes += OVERHEAD_BYTES;
    return true;
  }

  /** Ends the wait of a request, or of all requests of a connection that was closed. */
  endWaiting(connection: SendingConnection, bytes = Math.min(OVERHEAD_BYTES, connection.waitingBytes)): void {
    const account = this.#accounts.get(connection.addressGroup);
    if (account === undefined) return;
    connection.waitingBytes -= bytes;
    account.heldBytes -= bytes;
    this.#heldBytes -= bytes;
  }

  /** Whether memory is short, so that files are read in small pieces. */
  isTight(connection: SendingConnection): boolean {
    const account = this.#accounts.get(connection.addressGroup);
    return (
      connection.heldBytes > TIGHT_CONNECTION_BYTES ||
      this.#heldBytes > this.#limits.totalBytes * TIGHT_SHARE ||
      (account?.heldBytes ?? 0) > this.#limits.bytesPerAddress * TIGHT_SHARE
    );
  }

  /** Ends stalled replies and connections. Never rejects. */
  async check(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    try {
      const slow = this.#slowWrites();
      await this.#links.sample(new Set(slow.map(({ connection }) => connection)));
      for (const write of slow) this.#endIfStalled(write);
      this.#endSilentConnections();
    } finally {
      this.#isChecking = false;
    }
  }

  /** Writes that started before the last check. Also deletes accounts that hold nothing. */
  #slowWrites(): readonly PendingWrite[] {
    const slow: PendingWrite[] = [];
    const beganBefore = this.#now() - CHECK_INTERVAL_MS;
    for (const [group, { writes, heldBytes }] of this.#accounts) {
      if (heldBytes === 0) this.#accounts.delete(group);
      for (const write of writes) {
        if (write.beganAtMs > beganBefore) break;
        slow.push(write);
      }
    }
    return slow;
  }

  #endIfStalled(write: PendingWrite): void {
    const { connection, bytes, beganAtMs, creditMs } = write;
    if (!this.#isPending(write)) return;
    const link = this.#links.linkOf(write);
    if (!isStalled({ bytes, creditMs, link, ageMs: this.#now() - beganAtMs })) return;
    connection.stalledReplies += 1;
    // A stream reset would wait behind the data that the client does not read; a reply that was reset before does so.
    const mustEndConnection = link === 'stuck' || write.isAborted || connection.stalledReplies > MAX_STALLED_REPLIES;
    this.#onEnding('stalled');
    write.isAborted = true;
    if (mustEndConnection) this.#endConnection(connection, link === 'stuck');
    else write.abort();
  }

  #endSilentConnections(): void {
    const before = this.#now() - CONNECTION_LIMIT_MS;
    const silent = new Set<SendingConnection>();
    for (const { writes } of this.#accounts.values()) {
      for (const write of writes) {
        const { connection } = write;
        if (connection.waitingSinceMs === undefined || connection.waitingSinceMs > before) continue;
        if (this.#links.linkOf(write) !== 'draining') silent.add(connection);
      }
    }
    for (const connection of silent) this.#endConnection(connection, true);
  }

  #hasRoom(account: Account, bytes: number): boolean {
    const { totalBytes, bytesPerAddress } = this.#limits;
    while (account.heldBytes + bytes > bytesPerAddress)
      if (!this.#evictFrom(account, MIN_EVICTION_AGE_MS)) return false;
    while (this.#heldBytes + bytes > totalBytes) {
      const largest = this.#largest() ?? account;
      // An address that holds little may evict even new writes of one that holds much.
      const isSmall = 2 * (account.heldBytes + bytes) < largest.heldBytes;
      if (!this.#evictFrom(largest, isSmall ? 0 : MIN_EVICTION_AGE_MS)) return false;
    }
    return true;
  }

  #largest(): Account | undefined {
    let largest: Account | undefined;
    for (const account of this.#accounts.values())
      if (largest === undefined || account.heldBytes > largest.heldBytes) largest = account;
    return largest;
  }

  /** @returns false when no write has waited long enough */
  #evictFrom(account: Account, minAgeMs: number): boolean {
    const [oldest] = account.writes;
    if (oldest === undefined || this.#now() - oldest.beganAtMs < minAgeMs) return false;
    this.#onEnding('evicted');
    this.#endConnection(oldest.connection, true);
    return true;
  }

  /** Stops counting its memory at once, although closing takes a moment. */
  #endConnection(connection: SendingConnection, isStuck: boolean): void {
    const writes = this.#accounts.get(connection.addressGroup)?.writes ?? [];
    for (const write of writes) if (write.connection === connection) this.#remove(write);
    this.endWaiting(connection, connection.waitingBytes);
    connection.endStalled(isStuck);
  }

  #isPending(write: PendingWrite): boolean {
    return this.#accounts.get(write.connection.addressGroup)?.writes.has(write) === true;
  }

  #remove(write: PendingWrite): boolean {
    const { connection, heldBytes } = write;
    const account = this.#accounts.get(connection.addressGroup);
    if (account === undefined || !account.writes.delete(write)) return false;
    account.heldBytes -= heldBytes;
    connection.heldBytes -= heldBytes;
    this.#heldBytes -= heldBytes;
    return true;
  }

  #accountOf(group: string): Account {
    const known = this.#accounts.get(group);
    if (known !== undefined) return known;
    const account: Account = { heldBytes: 0, writes: new Set() };
    this.#accounts.set(group, account);
    return account;
  }
}
