import type { Priority, WorkQueue } from './lanes.js';

/** What one claim takes of a queue. */
export interface Share {
  readonly queue: WorkQueue;
  /** No row of the queue is ready before: the claim does not read what was done earlier. */
  readonly from: Date;
  readonly limit: number;
}

/** A queue, and when its first row is ready. */
export interface ReadyQueue extends WorkQueue {
  readonly readyAt: Date;
  /** Turns in relation to other organizations; absent where it is not known. */
  readonly weight?: number;
}

interface Entry {
  readonly key: string;
  readonly queue: WorkQueue;
  /** No known row is ready before. */
  readyAtMs: number;
  /** The same of rows that were announced during a claim, which may not have seen them. */
  announcedMs: number;
  weight: number;
}

/** Of a claim, this share is kept for lower priorities. */
const LOWER_PRIORITIES_SHARE = 1 / 8;
const BUCKET_MS = 100;

/**
 * The queues of one lane, as far as this process knows them, and whose turn it is. Only a hint: rows are claimed in the
 * database, and a regular discovery finds rows that nobody announced here. Its lower bounds keep claims from reading the
 * index entries of rows that were done, which PostgreSQL cannot remove while an old transaction is open.
 */
export class LaneQueues {
  readonly #entries = new Map<string, Entry>();
  /** Ready queues of each priority, in the order of their turns. */
  readonly #ready = new Map<Priority, Map<string, Entry>>();
  /** The others, by the time at which they are ready. */
  readonly #later = new Map<number, Set<Entry>>();
  #nextBucket: number;

  constructor(now: Date) {
    this.#nextBucket = bucketOf(now.getTime());
  }

  hasReady(now: Date): boolean {
    this.#moveReady(now);
    return this.#ready.values().some(({ size }) => size > 0);
  }

  /** Announces that a queue has a row that is ready then. @returns whether it is ready now */
  announce({ readyAt, weight, ...queue }: ReadyQueue, now: Date): boolean {
    const key = `${queue.kind} ${queue.priority} ${queue.organizationId}`;
    const entry = this.#entries.get(key) ?? { key, queue, readyAtMs: Infinity, announcedMs: Infinity, weight: 1 };
    this.#entries.set(key, entry);
    entry.weight = weight ?? entry.weight;
    entry.announcedMs = Math.min(entry.announcedMs, readyAt.getTime());
    if (readyAt.getTime() < entry.readyAtMs) this.#place(entry, readyAt.getTime());
    return readyAt <= now;
  }

  /**
   * The shares of the next claim: higher priorities first, except for a share of the lower ones, and as equal as the weights
   * of the organizations say. Empty when nothing is ready.
   */
  next(limit: number, now: Date): readonly Share[] {
    this.#moveReady(now);
    const levels = [...this.#ready].filter(([, queues]) => queues.size > 0).sort(([a], [b]) => a - b);
    const shares: Share[] = [];
    let left = limit;
    for (const [index, [, queues]] of levels.entries()) {
      const isLast = index === levels.length - 1;
      const budget = isLast ? left : left - Math.ceil(left * LOWER_PRIORITIES_SHARE);
      const own = shareOut([...queues.values()].slice(0, budget), budget);
      left -= own.reduce((sum, share) => sum + share.limit, 0);
      for (const { entry, limit: rows } of own) {
        queues.delete(entry.key);
        queues.set(entry.key, entry); // behind those whose turn is next
        shares.push({ queue: entry.queue, from: new Date(entry.readyAtMs), limit: rows });
        entry.announcedMs = Infinity;
      }
    }
    return shares;
  }

  /**
   * Records the result of a claim.
   * @param readyAt when the next row is ready, as far as the claim has seen; null without one
   */
  claimed({ kind, priority, organizationId }: WorkQueue, readyAt: Date | null): void {
    const entry = this.#entries.get(`${kind} ${priority} ${organizationId}`);
    if (entry === undefined) return;
    const readyAtMs = Math.min(readyAt?.getTime() ?? Infinity, entry.announcedMs);
    if (readyAtMs === Infinity) {
      this.#entries.delete(entry.key);
      this.#ready.get(priority)?.delete(entry.key);
    } else this.#place(entry, readyAtMs);
  }

  #place(entry: Entry, readyAtMs: number): void {
    const ready = this.#ready.get(entry.queue.priority) ?? new Map<string, Entry>();
    this.#ready.set(entry.queue.priority, ready);
    this.#remove(entry);
    entry.readyAtMs = readyAtMs;
    const bucket = bucketOf(readyAtMs);
    if (bucket < this.#nextBucket) {
      if (!ready.has(entry.key)) ready.set(entry.key, entry);
      return;
    }
    ready.delete(entry.key);
    const later = this.#later.get(bucket) ?? new Set();
    this.#later.set(bucket, later.add(entry));
  }

  #remove(entry: Entry): void {
    const bucket = bucketOf(entry.readyAtMs);
    const entries = this.#later.get(bucket);
    entries?.delete(entry);
    if (entries?.size === 0) this.#later.delete(bucket);
  }

  #moveReady(now: Date): void {
    const end = bucketOf(now.getTime()) + 1;
    // After a long sleep there are fewer buckets than times.
    const passed =
      end - this.#nextBucket > this.#later.size
        ? [...this.#later.keys()].filter((bucket) => bucket < end)
        : Array.from({ length: Math.max(end - this.#nextBucket, 0) }, (_, index) => this.#nextBucket + index);
    this.#nextBucket = Math.max(this.#nextBucket, end);
    for (const bucket of passed) {
      const entries = this.#later.get(bucket) ?? [];
      this.#later.delete(bucket);
      for (const entry of entries) this.#place(entry, entry.readyAtMs);
    }
  }
}

/** At least one row for each, as many as there are in total, in proportion to the weights. */
function shareOut(
  entries: readonly Entry[],
  rows: number,
): readonly { readonly entry: Entry; readonly limit: number }[] {
  let weights = entries.reduce((sum, { weight }) => sum + weight, 0);
  let left = rows;
  return entries.map((entry, index) => {
    const others = entries.length - 1 - index;
    const limit = Math.max(Math.min(Math.round((left * entry.weight) / weights), left - others), 1);
    weights -= entry.weight;
    left -= limit;
    return { entry, limit };
  });
}

function bucketOf(ms: number): number {
  return Math.floor(ms / BUCKET_MS);
}
