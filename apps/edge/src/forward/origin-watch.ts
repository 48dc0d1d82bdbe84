import { exponentialDelayMs, FairSemaphore, type Release } from '@pets/async';
import {
  MAX_REPORTED_HEALTH,
  originOfRow,
  type EdgeOrigin,
  type EdgeSessionMessage,
  type OriginOpinion,
} from '@pets/contracts/edge-feed';
import { isUnreachable, OriginError } from './origin-error.js';

type FeedBatch = Extract<EdgeSessionMessage, { kind: 'batch' }>;
type Failure = OriginOpinion['failure'];

/** Origins beyond it are not watched: those that are suspected later have to wait. */
const MAX_WATCHED = 5_000;
/** Attempts at a time, of one organization and in all; a stranger chooses how long one takes. */
const CONCURRENT = { total: 64, ofOrganization: 4 } as const;
/** From one attempt to the next, longer with each that finds the same. */
const PAUSES = { firstMs: 5_000, maxMs: 30_000 };
/** After an attempt, another one is not brought forward earlier. */
const SHORTEST_PAUSE_MS = 2_000;
/** From one report about an origin to the next, however often it changes. */
const REPORT_PAUSE_MS = 10_000;
/** An opinion is reported again: a report may have been lost. */
const REPEAT_MS = 60_000;
/** How often attempts are begun and reports are collected. */
const TICK_MS = 500;

interface Watched {
  /** Undefined before the first attempt. */
  opinion: { readonly failure: Failure } | undefined;
  reported: { readonly code: string | undefined; readonly atMs: number } | undefined;
  /** Attempts in a row that found the same. */
  same: number;
  attemptedAtMs: number;
  nextAttemptAtMs: number;
  isAttempting: boolean;
  /** Counts changes of the origin: the result of an attempt at the one before is not used. */
  changes: number;
  isAsked: boolean;
}

export interface OriginWatchOptions {
  /** The origin of an id, as it is now. */
  readonly find: (id: string) => EdgeOrigin | undefined;
  /** @throws OriginError */
  readonly tryConnection: (origin: EdgeOrigin) => Promise<void>;
  /** Monotonic, in milliseconds. */
  readonly now: () => number;
}

/**
 * Opinions of this edge about origins that fail. One that a serving process cannot connect to, or that the API asks about, is tried
 * from here, by opening a connection: at once, and then at growing intervals, so that the end of a failure depends on no visitor.
 * The last attempt is the opinion of the edge, however many processes it has. It is forgotten when the API knows that a connection
 * can be opened and asks no further. Opinions go with the next acknowledgement, and cause none.
 */
export class OriginWatch {
  readonly #options: OriginWatchOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #semaphore = new FairSemaphore({ limit: CONCURRENT.total, groupLimit: CONCURRENT.ofOrganization });
  readonly #stopping = new AbortController();
  #collectedAtMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OriginWatchOptions) {
    this.#options = options;
  }

  /** Origins that this edge cannot connect to. */
  get failing(): number {
    let count = 0;
    for (const { opinion } of this.#watched.values()) if (opinion?.failure != null) count += 1;
    return count;
  }

  start(): void {
    this.#timer = setInterval(() => this.tick(), TICK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#stopping.abort();
  }

  /** A serving process cannot open a connection, or has opened one again. */
  suspect(id: string, isFailing: boolean): void {
    const watched = isFailing ? this.#watch(id) : this.#watched.get(id);
    const isExpected = watched?.opinion !== undefined && (watched.opinion.failure !== null) === isFailing;
    if (watched === undefined || isExpected) return;
    watched.nextAttemptAtMs = Math.min(watched.nextAttemptAtMs, watched.attemptedAtMs + SHORTEST_PAUSE_MS);
  }

  /** The API asks about these origins, and about no other. */
  asked(ids: readonly string[]): void {
    const asked = new Set(ids);
    for (const [id, watched] of this.#watched) watched.isAsked = asked.has(id);
    for (const id of asked) {
      const watched = this.#watch(id);
      if (watched !== undefined) watched.isAsked = true;
    }
  }

  /** Forgets what was found at the origins of a batch: they have changed. */
  applied({ entries }: FeedBatch): void {
    for (const { host, route } of entries) {
      const id = originOfRow(host);
      const watched = id === undefined ? undefined : this.#watched.get(id);
      if (id === undefined || watched === undefined) continue;
      if (route?.serve?.kind !== 'origin') {
        this.#watched.delete(id);
        continue;
      }
      watched.changes += 1;
      watched.opinion = undefined;
      watched.nextAttemptAtMs = this.#options.now();
    }
  }

  /** Opinions for the next acknowledgement; those beyond its limit follow with a later one. */
  report(): readonly OriginOpinion[] {
    const nowMs = this.#options.now();
    if (this.#watched.size === 0 || nowMs - this.#collectedAtMs < TICK_MS) return [];
    this.#collectedAtMs = nowMs;
    const due = this.#watched
      .entries()
      .filter(([, watched]) => isReportDue(watched, nowMs))
      .take(MAX_REPORTED_HEALTH);
    return [...due].map(([origin, watched]) => {
      const failure = watched.opinion?.failure ?? null;
      watched.reported = { code: failure?.code, atMs: nowMs };
      // The others come first the next time.
      this.#watched.delete(origin);
      this.#watched.set(origin, watched);
      return { origin, failure };
    });
  }

  /** Begins the attempts that are due, and forgets origins about which nothing is to be said. */
  tick(): void {
    const nowMs = this.#options.now();
    for (const [id, watched] of this.#watched) {
      if (isSettled(watched, nowMs)) this.#watched.delete(id);
      else if (!watched.isAttempting && watched.nextAttemptAtMs <= nowMs) void this.#attempt(id, watched);
    }
  }

  #watch(id: string): Watched | undefined {
    const known = this.#watched.get(id);
    if (known !== undefined || this.#watched.size >= MAX_WATCHED) return known;
    const watched: Watched = {
      ...{ opinion: undefined, reported: undefined, same: 0, changes: 0 },
      ...{ attemptedAtMs: -Infinity, nextAttemptAtMs: this.#options.now(), isAttempting: false, isAsked: false },
    };
    this.#watched.set(id, watched);
    return watched;
  }

  async #attempt(id: string, watched: Watched): Promise<void> {
    watched.isAttempting = true;
    const { changes } = watched;
    const found = await this.#find(id);
    watched.isAttempting = false;
    if (watched.changes !== changes) return;
    watched.attemptedAtMs = this.#options.now();
    if (found !== undefined) {
      watched.same = watched.opinion?.failure?.code === found.failure?.code ? watched.same + 1 : 1;
      watched.opinion = found;
    } else if (!watched.isAsked && this.#watched.get(id) === watched) this.#watched.delete(id);
    watched.nextAttemptAtMs = watched.attemptedAtMs + exponentialDelayMs(PAUSES, Math.max(watched.same, 1));
  }

  /** Never rejects. @returns undefined when this edge does not know the origin, cannot read it, or stops */
  async #find(id: string): Promise<Watched['opinion']> {
    const { signal } = this.#stopping;
    let release: Release | null = null;
    try {
      const origin = this.#options.find(id);
      if (origin === undefined) return undefined;
      release = await this.#semaphore.acquire('attempts', origin.organizationId, (cancel) => {
        signal.addEventListener('abort', cancel, { once: true });
        return () => signal.removeEventListener('abort', cancel);
      });
      if (release === null) return undefined;
      await this.#options.tryConnection(origin);
      return { failure: null };
    } catch (error) {
      if (!(error instanceof OriginError)) return undefined;
      // Another reason, such as an address of this platform, is no failure to connect.
      return { failure: isUnreachable(error) ? { code: error.failure, detail: error.message } : null };
    } finally {
      release?.();
    }
  }
}

function isReportDue({ opinion, reported, isAsked }: Watched, nowMs: number): boolean {
  if (opinion === undefined) return false;
  if (reported === undefined) return opinion.failure !== null || isAsked;
  const pauseMs = reported.code === opinion.failure?.code ? REPEAT_MS : REPORT_PAUSE_MS;
  return nowMs - reported.atMs >= pauseMs;
}

/** Whether a connection can be opened, nobody believes otherwise, and the next report would not come too early. */
function isSettled({ opinion, reported, isAsked, isAttempting }: Watched, nowMs: number): boolean {
  if (opinion?.failure !== null || isAsked || isAttempting) return false;
  return reported === undefined || (reported.code === undefined && nowMs - reported.atMs >= REPORT_PAUSE_MS);
}
