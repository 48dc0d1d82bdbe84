import { LRUCache } from 'lru-cache';

export interface PromiseCacheOptions<Value> {
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
