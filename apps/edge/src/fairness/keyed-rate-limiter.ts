export interface KeyedRateLimiterOptions<Item> {
  /** How many items of one key start per second; a key without recent items may start as many at once. */
  readonly perSecond: number;
  /** How long an item may wait. */
  readonly maxWaitMs: number;
  readonly start: (item: Item) => void;
  /** Whether the item is not needed any more: it closed while it waited. */
  readonly isGone: (item: Item) => boolean;
  readonly now?: () => number;
  readonly schedule?: (work: () => void, delayMs: number) => void;
}

/** A key may start as many items at once as fit into this time at its rate. */
const BURST_MS = 1_000;
/** How often waiting items are checked. */
const POLL_INTERVAL_MS = 10;

/**
 * Limits how many items of each key start per second, so that no key takes all of the processor time; excess items queue
 * per key, in order. Uses the virtual scheduling form of GCRA (ITU-T I.371 §6.2).
 */
export class KeyedRateLimiter<Key, Item> {
  /** Keys that have spent some of their allowance, the most recent last; a key that is missing has all of it. */
  readonly #theoreticalArrivalTimes = new Map<Key, number>();
  readonly #waiting = new Map<Key, Item[]>();
  readonly #options: KeyedRateLimiterOptions<Item>;
  readonly #emissionIntervalMs: number;
  readonly #maxWaiting: number;
  readonly #now: () => number;
  readonly #schedule: (work: () => void, delayMs: number) => void;

  constructor(options: KeyedRateLimiterOptions<Item>) {
    this.#options = options;
    this.#emissionIntervalMs = 1_000 / options.perSecond;
    this.#maxWaiting = Math.floor(options.maxWaitMs / this.#emissionIntervalMs);
    this.#now = options.now ?? (() => performance.now());
    this.#schedule = options.schedule ?? ((work, delayMs) => void setTimeout(work, delayMs).unref());
  }

  /** @returns false when so many items of the key wait that this one would wait for longer than `maxWaitMs` */
  add(key: Key, item: Item): boolean {
    const queue = this.#waiting.get(key);
    if (queue !== undefined) {
      if (queue.length >= this.#maxWaiting) return false;
      queue.push(item);
    } else if (this.#trySpend(key)) this.#options.start(item);
    else {
      if (this.#waiting.size === 0) this.#schedule(this.#poll, POLL_INTERVAL_MS);
      this.#waiting.set(key, [item]);
    }
    return true;
  }

  readonly #poll = (): void => {
    for (const [key, queue] of this.#waiting) {
      this.#startAllowed(key, queue);
      if (queue.length === 0) this.#waiting.delete(key);
    }
    if (this.#waiting.size > 0) this.#schedule(this.#poll, POLL_INTERVAL_MS);
  };

  #startAllowed(key: Key, queue: Item[]): void {
    for (let [item] = queue; item !== undefined; [item] = queue) {
      const isGone = this.#options.isGone(item);
      if (!isGone && !this.#trySpend(key)) return;
      queue.shift();
      if (!isGone) this.#options.start(item);
    }
  }

  /** Takes one item from the key's allowance, if there is one left. */
  #trySpend(key: Key): boolean {
    const now = this.#now();
    this.#deleteExpired(now);
    const arrival = Math.max(now, this.#theoreticalArrivalTimes.get(key) ?? now) + this.#emissionIntervalMs;
    if (arrival > now + BURST_MS) return false;
    this.#theoreticalArrivalTimes.delete(key);
    this.#theoreticalArrivalTimes.set(key, arrival);
    return true;
  }

  /** Deletes keys that have all of their allowance again. The first ones started nothing for the longest time. */
  #deleteExpired(now: number): void {
    for (const [key, arrival] of this.#theoreticalArrivalTimes) {
      if (arrival > now) return;
      this.#theoreticalArrivalTimes.delete(key);
    }
  }
}
