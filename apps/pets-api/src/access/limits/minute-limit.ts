import { RequestError } from '@pets/platform';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;

/** Keys that are counted; the one that was seen last longest ago is forgotten first. */
const MAX_KEYS = 10_000;

/**
 * Limits what a key, such as a group of client addresses, may send to this process in a minute where no organization pays for
 * it.
 */
export class MinuteLimit {
  readonly #max: number;
  readonly #refusal: string;
  readonly #counts = new LRUCache<string, { count: number }>({ max: MAX_KEYS, ttl: WINDOW_MS });

  /**
   * @param max 0 for no limit
   * @param refusal the message of a refusal
   */
  constructor(max: number, refusal: string) {
    this.#max = max;
    this.#refusal = refusal;
  }

  isReached(key: string): boolean {
    return this.#max !== 0 && (this.#counts.get(key)?.count ?? 0) >= this.#max;
  }

  /** @throws RequestError `rate_limited`, until the minute ends, when the key has reached the limit */
  check(key: string): void {
    if (!this.isReached(key)) return;
    const seconds = Math.max(1, Math.ceil(this.#counts.getRemainingTTL(key) / 1_000));
    throw new RequestError('rate_limited', this.#refusal, { 'retry-after': String(seconds) });
  }

  /** The minute begins with the first. */
  count(key: string): void {
    if (this.#max === 0) return;
    const counted = this.#counts.get(key);
    if (counted === undefined) this.#counts.set(key, { count: 1 });
    else counted.count += 1;
  }
}
