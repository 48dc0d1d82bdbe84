import { addressGroup, RequestError } from '@pets/platform';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;

/** Clients that are counted; the one that was seen last longest ago is forgotten first. */
const MAX_CLIENTS = 10_000;

/**
 * Limits the wrong keys that a client address (of IPv6, a /64) may send to this process in a minute. Each costs a query, and no
 * organization pays for it. Beyond the limit all its requests are refused until the minute ends.
 */
export class WrongKeyLimit {
  readonly #max: number;
  readonly #counts = new LRUCache<string, { count: number }>({ max: MAX_CLIENTS, ttl: WINDOW_MS });

  /** @param max 0 for no limit */
  constructor(max: number) {
    this.#max = max;
  }

  /** @throws RequestError `rate_limited` when the client has sent too many wrong keys */
  check(address: string | null): void {
    if (this.#max === 0 || address === null) return;
    const client = addressGroup(address);
    if ((this.#counts.get(client)?.count ?? 0) < this.#max) return;
    const seconds = Math.max(1, Math.ceil(this.#counts.getRemainingTTL(client) / 1_000));
    throw new RequestError('rate_limited', 'Too many wrong API keys came from this address.', {
      'retry-after': String(seconds),
    });
  }

  /** Counts a wrong key. The minute begins with the first. */
  count(address: string | null): void {
    if (this.#max === 0 || address === null) return;
    const client = addressGroup(address);
    const counted = this.#counts.get(client);
    if (counted === undefined) this.#counts.set(client, { count: 1 });
    else counted.count += 1;
  }
}
