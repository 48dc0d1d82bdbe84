import { LinkWatch, type WatchedConnection } from './link-watch.js';
import { creditAfter, isStalled, SLICE_BYTES } from './minimum-rate.js';

/**
 * Every write of a reply that a client has yet to take. Once in a while those that take too long are ended
 * (`minimum-rate.ts`); and since each holds memory, there is a limit to what all of them hold, and those of one address:
 * beyond it the connection that has waited for the longest is ended, of the address that holds the most.
 */

/** Why a reply was ended: below the minimum rate, to make room for others, or there was none for it. */
export const sendEndings = ['stalled', 'evicted', 'refused'] as const;
export type SendEnding = (typeof sendEndings)[number];

export interface SendLimits {
  /** Held by all pending writes together. */
  readonly totalBytes: number;
  /** Held by those of one address; Infinity where all visitors have the same one. */
  readonly bytesPerAddress: number;
}

const noLimits: SendLimits = { totalBytes: Infinity, bytesPerAddress: Infinity };

/** A connection, as far as it matters here. */
export interface SendingConnection extends WatchedConnection {
  readonly addressGroup: string;
  /** Of its pending writes. */
  heldBytes: number;
  /** Of requests that wait until others of it have been answered. */
  waitingBytes: number;
  /** Replies that it let stall, less those that it has taken since. */
  stalledReplies: number;
  /** Since when writes are pending of which none has completed. */
  waitingSinceMs: number | undefined;
  completedFromMs: number;
  /** Ends it, with everything that is under way on it. */
  endStalled(isStuck: boolean): void;
}

/** What Node keeps of an open request besides its bytes, of a stream of HTTP/2 above all; measured at 11 KiB. */
const OVERHEAD_BYTES = 12 * 1024;
/** Nobody is evicted before by others of the same size: a client on a good network takes a slice in less. */
const LEAST_AGE_MS = 1_000;
const LOOK_MS = 2_500;
/** More stalled replies than this, not made up for by others that were taken, and it is the connection. */
const MOST_STALLED_REPLIES = 20;
/** A connection that takes nothing at all, whatever it asks for and cancels. */
const CONNECTION_LIMIT_MS = 30_000;
/** From here on a connection reads files in small pieces. */
const TIGHT_CONNECTION_BYTES = 512 * 1024;
/** … and all of an address, or everybody, when so much of what they may hold is held. */
const TIGHT_PART = 1 / 4;

/** One reply's writes, one at a time. */
export class PendingWrite {
  bytes = 0;
  heldBytes = 0;
  beganAtMs = 0;
  creditMs = 0;
  isAborted = false;

  constructor(
    readonly connection: SendingConnection,
    /** Ends the reply, not its connection where that has others. */
    readonly abort: () => void,
  ) {}
}

interface Account {
  heldBytes: number;
  /** In the order in which they began. */
  readonly writes: Set<PendingWrite>;
}

export class PendingWrites {
  readonly #accounts = new Map<string, Account>();
  readonly #links: LinkWatch;
  #heldBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(
    private readonly limits: SendLimits = noLimits,
    private readonly onEnding: (ending: SendEnding) => void = () => undefined,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#links = new LinkWatch(now);
  }

  /** What all pending writes hold. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Looks now and then: a timer for each write would cost each reply its share. */
  start(): void {
    this.#timer ??= setInterval(() => void this.look(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * A write is about to begin.
   * @param readAhead what the reply has in memory of its own, besides
   * @returns false where there is no room for it
   */
  begin(write: PendingWrite, bytes: number, readAhead = 0): boolean {
    const { connection } = write;
    const heldBytes = OVERHEAD_BYTES + bytes + readAhead;
    const account = this.#accountOf(connection.addressGroup);
    if (!this.#hasRoom(account, heldBytes)) {
      this.onEnding('refused');
      return false;
    }
    write.bytes = bytes;
    write.heldBytes = heldBytes;
    write.beganAtMs = this.now();
    account.writes.add(write);
    account.heldBytes += heldBytes;
    connection.heldBytes += heldBytes;
    connection.waitingSinceMs ??= write.beganAtMs;
    this.#heldBytes += heldBytes;
    return true;
  }

  /** The client has taken it. */
  complete(write: PendingWrite): void {
    const { connection, bytes, creditMs, beganAtMs } = write;
    if (!this.#remove(write)) return;
    const nowMs = this.now();
    connection.completedFromMs = Math.max(connection.completedFromMs, beganAtMs);
    write.creditMs = creditAfter(creditMs, bytes, nowMs - beganAtMs);
    connection.waitingSinceMs = connection.heldBytes > 0 ? nowMs : undefined;
    if (connection.stalledReplies > 0)
      connection.stalledReplies = Math.max(0, connection.stalledReplies - bytes / SLICE_BYTES);
  }

  /** It will not be completed. */
  drop(write: PendingWrite): void {
    this.#remove(write);
  }

  /** A request is to wait until others of its connection have been answered. @returns false where there is no room for it */
  beginWaiting(connection: SendingConnection): boolean {
    const account = this.#accountOf(connection.addressGroup);
    if (!this.#hasRoom(account, OVERHEAD_BYTES)) {
      this.onEnding('refused');
      return false;
    }
    connection.waitingBytes += OVERHEAD_BYTES;
    account.heldBytes += OVERHEAD_BYTES;
    this.#heldBytes += OVERHEAD_BYTES;
    return true;
  }

  /** It waits no more: its turn has come, or its connection has gone, and all others of it with it. */
  endWaiting(connection: SendingConnection, bytes = Math.min(OVERHEAD_BYTES, connection.waitingBytes)): void {
    const account = this.#accounts.get(connection.addressGroup);
    if (account === undefined) return;
    connection.waitingBytes -= bytes;
    account.heldBytes -= bytes;
    this.#heldBytes -= bytes;
  }

  /** Whether memory is short, so that files are to be read in small pieces. */
  isTight(connection: SendingConnection): boolean {
    const account = this.#accounts.get(connection.addressGroup);
    return (
      connection.heldBytes > TIGHT_CONNECTION_BYTES ||
      this.#heldBytes > this.limits.totalBytes * TIGHT_PART ||
      (account?.heldBytes ?? 0) > this.limits.bytesPerAddress * TIGHT_PART
    );
  }

  /** Ends what has stalled. Never rejects. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const slow = this.#slowWrites();
      await this.#links.sample(new Set(slow.map(({ connection }) => connection)));
      for (const write of slow) this.#judge(write);
      this.#endSilentConnections();
    } finally {
      this.#isLooking = false;
    }
  }

  /** Those that began a while ago; accounts without any are forgotten on the way. */
  #slowWrites(): readonly PendingWrite[] {
    const slow: PendingWrite[] = [];
    const beganBefore = this.now() - LOOK_MS;
    for (const [group, { writes, heldBytes }] of this.#accounts) {
      if (heldBytes === 0) this.#accounts.delete(group);
      for (const write of writes) {
        if (write.beganAtMs > beganBefore) break;
        slow.push(write);
      }
    }
    return slow;
  }

  #judge(write: PendingWrite): void {
    const { connection, bytes, beganAtMs, creditMs } = write;
    if (!this.#isPending(write)) return;
    const link = this.#links.linkOf(write);
    if (!isStalled({ bytes, creditMs, link, ageMs: this.now() - beganAtMs })) return;
    connection.stalledReplies += 1;
    // A reset would wait behind what the client does not read; and what was reset and is still there does.
    const isHopeless = link === 'stuck' || write.isAborted || connection.stalledReplies > MOST_STALLED_REPLIES;
    this.onEnding('stalled');
    write.isAborted = true;
    if (isHopeless) this.#endConnection(connection, link === 'stuck');
    else write.abort();
  }

  #endSilentConnections(): void {
    const before = this.now() - CONNECTION_LIMIT_MS;
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
    const { totalBytes, bytesPerAddress } = this.limits;
    while (account.heldBytes + bytes > bytesPerAddress) if (!this.#evictFrom(account, LEAST_AGE_MS)) return false;
    while (this.#heldBytes + bytes > totalBytes) {
      const largest = this.#largest() ?? account;
      // Who holds much waits for its own; who holds little does not wait for those who have just begun to hold much.
      const isSmall = 2 * (account.heldBytes + bytes) < largest.heldBytes;
      if (!this.#evictFrom(largest, isSmall ? 0 : LEAST_AGE_MS)) return false;
    }
    return true;
  }

  #largest(): Account | undefined {
    let largest: Account | undefined;
    for (const account of this.#accounts.values())
      if (largest === undefined || account.heldBytes > largest.heldBytes) largest = account;
    return largest;
  }

  /** @returns false where nobody has waited for long enough */
  #evictFrom(account: Account, leastAgeMs: number): boolean {
    const [oldest] = account.writes;
    if (oldest === undefined || this.now() - oldest.beganAtMs < leastAgeMs) return false;
    this.onEnding('evicted');
    this.#endConnection(oldest.connection, true);
    return true;
  }

  /** What it holds is counted no more at once, though it takes a moment until all of it is gone. */
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
