import { addressGroup, RequestError } from '@pets/platform';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;

/** Clients that are counted; the one that was seen last longest ago is forgotten first. */
const MAX_CLIENTS = 10_000;

/**
 * Limits what a client address (of IPv6, a /64) may send to this process in a minute where no organization pays for it. Beyond
 * the limit its requests are refused until the minute ends.
 */
export class AddressLimit {
  readonly #max: number;
  readonly #refusal: string;
  readonly #counts = new LRUCache<string, { count: number }>({ max: MAX_CLIENTS, ttl: WINDOW_MS });

  /**
   * @param max 0 for no limit
   * @param refusal the message of a refusal
   */
  constructor(max: number, refusal: string) {
    this.#max = max;
    this.#refusal = refusal;
  }

  /** @throws RequestError `rate_limited` when the client has reached the limit */
  check(address: string | null): void {
    if (this.#max === 0 || address === null) return;
    const client = addressGroup(address);
    if ((this.#counts.get(client)?.count ?? 0) < this.#max) return;
    const seconds = Math.max(1, Math.ceil(this.#counts.getRemainingTTL(client) / 1_000));
    throw new RequestError('rate_limited', this.#refusal, { 'retry-after': String(seconds) });
  }

  /** The minute begins with the first. */
  count(address: string | null): void {
    if (this.#max === 0 || address === null) return;
    const client = addressGroup(address);
    const counted = this.#counts.get(client);
    if (counted === undefined) this.#counts.set(client, { count: 1 });
    else counted.count += 1;
  }
}
