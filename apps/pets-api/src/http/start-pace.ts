import { LRUCache } from 'lru-cache';

/** The part of a minute's requests that may start in one second. */
const PART_A_SECOND = 1 / 5;
/** Of a small allowance. */
const MIN_A_SECOND = 10;
/** Each start at once delays the requests of all others by its processor time. */
const MAX_AT_ONCE = 16;
const MAX_KEYS = 10_000;
const FORGOTTEN_AFTER_MS = 5_000;

/**
 * Spreads the requests of a key over time (GCRA): in any second at most a fifth of what it may send in a minute starts,
 * half of it at once, but at most 16, and the rest evenly. Without it, a minute's requests could all start in one moment.
 */
export class StartPace {
  readonly #theoreticalArrivals = new LRUCache<string, number>({ max: MAX_KEYS, ttl: FORGOTTEN_AFTER_MS });

  /**
   * Reserves the next start.
   * @param limit requests a minute
   * @param waitMs a request that would wait for longer gets no start
   * @returns milliseconds until it may start; null when it may not
   */
  reserve(key: string, limit: number, waitMs: number, nowMs: number): number | null {
    if (limit === Infinity) return 0;
    const mostASecond = Math.max(MIN_A_SECOND, Math.floor(limit * PART_A_SECOND));
    const burst = Math.min(mostASecond / 2, MAX_AT_ONCE);
    const emissionIntervalMs = 1_000 / (mostASecond - burst);
    const arrivalMs = Math.max(this.#theoreticalArrivals.get(key) ?? nowMs, nowMs);
    const earliestMs = arrivalMs - (burst - 1) * emissionIntervalMs;
    // To the microsecond: sums of intervals are not exact.
    const delayMs = Math.max(0, Math.round((earliestMs - nowMs) * 1_000) / 1_000);
    if (delayMs > waitMs) return null;
    this.#theoreticalArrivals.set(key, arrivalMs + emissionIntervalMs);
    return delayMs;
  }
}
