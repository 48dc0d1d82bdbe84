import { LRUCache } from 'lru-cache';

/** Calls back when a caller no longer waits. @returns removes the callback */
type Cancellation = (callback: () => void) => () => void;

/** The cancellation of a caller whose signal is aborted. */
export function onAbort(signal: AbortSignal): Cancellation {
  return (callback) => {
    if (signal.aborted) callback();
    signal.addEventListener('abort', callback, { once: true });
    return () => signal.removeEventListener('abort', callback);
  };
}

/** The cancellation of a caller that waits for at most `limitMs`. */
export function afterMs(limitMs: number): Cancellation {
  return (callback) => {
    const timer = setTimeout(callback, limitMs);
    return () => clearTimeout(timer);
  };
}

interface FairSemaphoreLimits {
  /** Slots of one key. A function is asked each time a slot may be given, since the limit of a key may change. */
  readonly limit: number | ((key: string) => number);
  /** The most slots of a key that one group has at a time; all of them by default. */
  readonly groupLimit?: number;
  /** Callers of one group that may wait for a key; others are refused at once. Any number by default. */
  readonly waitingLimit?: number;
}

/** Gives a slot back. */
export type Release = () => void;

interface Waiter {
  readonly grant: () => void;
  readonly reject: (error: Error) => void;
}

interface Slots {
  readonly key: string;
  active: number;
  readonly activeOf: Map<string, number>;
  /** Waiters of each group, in the order of the turns of the groups. */
  readonly waiting: Map<string, Set<Waiter>>;
}

/**
 * Limits the concurrent tasks of each key. Groups that wait for the same key take turns, so that one with many tasks delays
 * another by one task only; the tasks of a group keep their order.
 */
export class FairSemaphore {
  readonly #keys = new Map<string, Slots>();
  readonly #limitOf: (key: string) => number;
  readonly #groupLimit: number;
  readonly #waitingLimit: number;

  constructor({ limit, groupLimit = Infinity, waitingLimit = Infinity }: FairSemaphoreLimits) {
    this.#waitingLimit = waitingLimit;
    this.#limitOf = typeof limit === 'number' ? () => limit : limit;
    this.#groupLimit = groupLimit;
  }

  /** @returns null when no slot is free at once */
  tryAcquire(key: string, group: string): Release | null {
    const slots = this.#slotsOf(key);
    // Where the limit has grown, those that wait come first.
    return !slots.waiting.has(group) && this.#isFree(slots, group) ? this.#take(slots, group) : null;
  }

  /**
   * @returns null when the caller cancels before it has a slot, or too many of its group wait
   * @throws the error of `rejectWaiting`
   */
  acquire(key: string, group: string, onCancel: Cancellation): Promise<Release | null> {
    const release = this.tryAcquire(key, group);
    const slots = this.#slotsOf(key);
    if (release !== null || (slots.waiting.get(group)?.size ?? 0) >= this.#waitingLimit)
      return Promise.resolve(release);
    return new Promise((resolve, reject) => {
      const waiters = slots.waiting.get(group) ?? new Set();
      const waiter: Waiter = {
        grant: () => {
          unsubscribe();
          resolve(this.#take(slots, group));
        },
        reject: (error) => {
          unsubscribe();
          reject(error);
        },
      };
      slots.waiting.set(group, waiters.add(waiter));
      const unsubscribe = onCancel(() => {
        if (!waiters.delete(waiter)) return;
        if (waiters.size === 0 && slots.waiting.get(group) === waiters) slots.waiting.delete(group);
        resolve(null);
      });
    });
  }

  /** Rejects all that wait for a key, such as when what they wait for does not answer. */
  rejectWaiting(key: string, error: Error): void {
    const { waiting } = this.#slotsOf(key);
    const waiters = [...waiting.values()].flatMap((group) => [...group]);
    waiting.clear();
    for (const waiter of waiters) waiter.reject(error);
  }

  #slotsOf(key: string): Slots {
    const slots: Slots = this.#keys.get(key) ?? { key, active: 0, activeOf: new Map(), waiting: new Map() };
    this.#keys.set(key, slots);
    return slots;
  }

  #isFree({ key, active, activeOf }: Slots, group: string): boolean {
    return active < this.#limitOf(key) && (activeOf.get(group) ?? 0) < this.#groupLimit;
  }

  #take(slots: Slots, group: string): Release {
    slots.active += 1;
    slots.activeOf.set(group, (slots.activeOf.get(group) ?? 0) + 1);
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      slots.active -= 1;
      const left = (slots.activeOf.get(group) ?? 1) - 1;
      if (left === 0) slots.activeOf.delete(group);
      else slots.activeOf.set(group, left);
      while (this.#grantNext(slots));
      if (slots.active === 0) this.#keys.delete(slots.key);
    };
  }

  /** The first group in the order of turns that may have another slot; its turn comes again after those of the others. @returns whether there was one */
  #grantNext(slots: Slots): boolean {
    for (const [group, waiters] of slots.waiting) {
      if (!this.#isFree(slots, group)) continue;
      const [waiter] = waiters;
      slots.waiting.delete(group);
      if (waiter === undefined) continue;
      waiters.delete(waiter);
      if (waiters.size > 0) slots.waiting.set(group, waiters);
      waiter.grant();
      return true;
    }
    return false;
  }
}

/**
 * Runs a task for each item, at most `concurrency` at a time, and begins them in order. A task that rejects does not stop the
 * others. @throws the error of the first task that rejects, while others may still run
 */
export async function forEachConcurrent<Item>(
  items: Iterable<Item>,
  concurrency: number,
  task: (item: Item) => Promise<void>,
): Promise<void> {
  const next = [...items].values();
  const run = async () => {
    for (const item of next) await task(item);
  };
  await Promise.all(Array.from({ length: concurrency }, run));
}

interface PromiseCacheOptions<Value> {
  /** When there are more entries, the least recently used one is dropped. */
  readonly maxEntries: number;
  /** How long an entry is returned, counted from the start of its load, so that a slow load does not prolong it. */
  readonly ttlMs: number;
  /** Another time for a loaded value, counted from the end of its load; 0 for a value that is not kept. */
  readonly ttlMsOf?: (value: Value) => number;
}

/**
 * Keeps the results of asynchronous loads for a limited time. Callers that ask for the same key at the same time share one
 * load. A load that fails is not kept.
 */
export class PromiseCache<Value> {
  readonly #options: PromiseCacheOptions<Value>;
  readonly #entries: LRUCache<string, Promise<Value>>;

  constructor(options: PromiseCacheOptions<Value>) {
    this.#options = options;
    this.#entries = new LRUCache({ max: options.maxEntries, ttl: options.ttlMs });
  }

  /** @throws the error of the load */
  get(key: string, load: () => Promise<Value>): Promise<Value> {
    const known = this.#entries.get(key);
    if (known !== undefined) return known;
    const loading: Promise<Value> = load().then(
      (value) => {
        this.#setTtl(key, loading, this.#options.ttlMsOf?.(value));
        return value;
      },
      (error: unknown) => {
        this.#setTtl(key, loading, 0);
        throw error;
      },
    );
    this.#entries.set(key, loading);
    return loading;
  }

  clear(): void {
    this.#entries.clear();
  }

  /** An entry that was replaced or cleared during its load is left alone. */
  #setTtl(key: string, loading: Promise<Value>, ttl: number | undefined): void {
    if (ttl === undefined || this.#entries.peek(key) !== loading) return;
    if (ttl === 0) this.#entries.delete(key);
    else this.#entries.set(key, loading, { ttl });
  }
}
