import type { JobLane, Plan } from '@pets/contracts';
import type { WorkKind } from '../lifecycle/domain-trigger.js';

/**
 * Due work goes to the workers in lanes, each with its own loop, queue of jobs and limit of waiting jobs: what waits in one
 * delays no other. In a lane, work of a higher priority goes first, and organizations take turns.
 */
/** The lower number goes first. The column `domain_work.priority` has the numbers. */
export const priorities = {
  /** A person is waiting: a click, or the first check of a name. */
  person: 0,
  /** A name without a certificate. */
  issuance: 1,
  /** The renewal of a certificate that nears its end. */
  expiring: 2,
  routine: 3,
  /** The check of a name that somebody looks at; its lane has no other. */
  watched: 4,
} as const;
export type Priority = (typeof priorities)[keyof typeof priorities];

/** The lanes of `domain_work`. Revocation lists have a schedule of their own, in `certificates`. */
export type WorkLane = Exclude<JobLane, 'lists'>;

export interface Lane {
  readonly kinds: readonly WorkKind[];
  /** The most rows of one claim. */
  readonly batch: number;
  /** Waiting jobs from which on the workers are behind: rows stay due in the database, where turns are fair. */
  readonly maxWaiting: number;
}

export const lanes = {
  /** DNS checks that a person has requested. The queue is short, so that nobody waits behind the names of another. */
  requested: { kinds: ['dns', 'reverify'], batch: 64, maxWaiting: 64 },
  watched: { kinds: ['dns'], batch: 64, maxWaiting: 64 },
  checks: { kinds: ['dns', 'reverify'], batch: 500, maxWaiting: 2_000 },
  certificates: { kinds: ['issuance', 'renewal_info'], batch: 250, maxWaiting: 250 },
  probes: { kinds: ['probe'], batch: 500, maxWaiting: 1_000 },
} as const satisfies Record<WorkLane, Lane>;

export const workLanes = Object.keys(lanes) as readonly WorkLane[]; // the keys of the record above

/** Rows with the same kind, priority and organization. */
export interface WorkQueue {
  readonly kind: WorkKind;
  readonly priority: Priority;
  readonly organizationId: string;
}

export function laneOf({ kind, priority }: Pick<WorkQueue, 'kind' | 'priority'>): WorkLane {
  if (kind === 'probe') return 'probes';
  if (kind === 'issuance' || kind === 'renewal_info') return 'certificates';
  if (priority === priorities.person) return 'requested';
  return priority === priorities.watched ? 'watched' : 'checks';
}

/** Reason why work is scheduled. */
export interface WorkCause {
  /** Whether somebody waits for its result. */
  readonly isRequested: boolean;
  readonly hasCertificate: boolean;
  /** Whether there is an alert about its certificate. */
  readonly hasAlert: boolean;
}

export const routineCause: WorkCause = { isRequested: false, hasCertificate: true, hasAlert: false };

export function priorityOf(kind: WorkKind, { isRequested, hasCertificate, hasAlert }: WorkCause): Priority {
  if (isRequested) return priorities.person;
  if (kind !== 'issuance' && kind !== 'probe') return priorities.routine;
  if (!hasCertificate) return priorities.issuance;
  return hasAlert ? priorities.expiring : priorities.routine;
}

/** Part of a queue that one claim takes. */
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

/** Share of a claim that is kept for lower priorities. */
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
  readonly #ready: Readonly<Record<Priority, Map<string, Entry>>> = {
    0: new Map(),
    1: new Map(),
    2: new Map(),
    3: new Map(),
    4: new Map(),
  };
  /** The others, by the time at which they are ready. */
  readonly #later = new Map<number, Set<Entry>>();
  #nextBucket: number;

  constructor(now: Date) {
    this.#nextBucket = bucketOf(now.getTime());
  }

  hasReady(now: Date): boolean {
    this.#moveReady(now);
    return this.#levels().length > 0;
  }

  /** Announces that a queue has a row that is ready then. @returns whether it is ready now */
  announce({ readyAt, weight, ...queue }: ReadyQueue, now: Date): boolean {
    const key = `${queue.kind} ${queue.priority} ${queue.organizationId}`;
    const entry = this.#entries.get(key) ?? { key, queue, readyAtMs: Infinity, announcedMs: Infinity, weight: 1 };
    this.#entries.set(key, entry);
    entry.weight = weight ?? entry.weight;
    entry.announcedMs = Math.min(entry.announcedMs, readyAt.getTime());
    this.#place(entry, Math.min(entry.readyAtMs, readyAt.getTime()));
    return readyAt <= now;
  }

  /**
   * The shares of the next claim: higher priorities first, except for a share of the lower ones, and as equal as the weights
   * of the organizations say. Empty when nothing is ready.
   */
  next(limit: number, now: Date): readonly Share[] {
    this.#moveReady(now);
    const levels = this.#levels();
    const shares: Share[] = [];
    let left = limit;
    for (const [index, queues] of levels.entries()) {
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
      this.#remove(entry);
      this.#entries.delete(entry.key);
    } else this.#place(entry, readyAtMs);
  }

  /** The priorities that have ready queues, the highest first. */
  #levels(): readonly Map<string, Entry>[] {
    return Object.values(this.#ready).filter(({ size }) => size > 0);
  }

  /** A queue that is ready already keeps its turn. */
  #place(entry: Entry, readyAtMs: number): void {
    const bucket = bucketOf(readyAtMs);
    if (bucket < this.#nextBucket) {
      this.#unschedule(entry);
      this.#ready[entry.queue.priority].set(entry.key, entry);
    } else {
      this.#remove(entry);
      this.#later.set(bucket, (this.#later.get(bucket) ?? new Set()).add(entry));
    }
    entry.readyAtMs = readyAtMs;
  }

  #remove(entry: Entry): void {
    this.#unschedule(entry);
    this.#ready[entry.queue.priority].delete(entry.key);
  }

  /** Keeps no empty bucket, which would stay until its time. */
  #unschedule(entry: Entry): void {
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
        : Array.from({ length: end - this.#nextBucket }, (_, index) => this.#nextBucket + index);
    this.#nextBucket = Math.max(this.#nextBucket, end);
    for (const bucket of passed) {
      for (const entry of this.#later.get(bucket) ?? []) this.#ready[entry.queue.priority].set(entry.key, entry);
      this.#later.delete(bucket);
    }
  }
}

/** Divides the rows in proportion to the weights; each entry gets at least one. */
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

/** Turns of an organization for each one of a free organization, where organizations wait for the same thing. */
export const planShares = { free: 1, pro: 2, enterprise: 4 } as const satisfies Record<Plan, number>;
