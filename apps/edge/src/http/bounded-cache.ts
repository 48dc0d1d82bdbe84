import { LRUCache } from 'lru-cache';

/**
 * What is dear to make and never changes, by key: made once however many ask at a time, and the least used left out
 * when it would take too much memory. What could not be made is not remembered.
 */
export class BoundedCache<Value extends object> {
  readonly #kept: LRUCache<string, Value>;
  readonly #beingMade = new Map<string, Promise<Value>>();

  constructor(maxBytes: number, bytesOf: (value: Value) => number) {
    // An empty value takes memory as well; and the cache takes no size of 0.
    this.#kept = new LRUCache({ maxSize: maxBytes, sizeCalculation: (value) => bytesOf(value) + 256 });
  }

  /** @throws what making it throws */
  get(key: string, make: () => Promise<Value>): Promise<Value> {
    const kept = this.#kept.get(key);
    if (kept !== undefined) return Promise.resolve(kept);
    const underWay = this.#beingMade.get(key);
    if (underWay !== undefined) return underWay;
    const making = this.#make(key, make).finally(() => this.#beingMade.delete(key));
    this.#beingMade.set(key, making);
    return making;
  }

  async #make(key: string, make: () => Promise<Value>): Promise<Value> {
    const value = await make();
    this.#kept.set(key, value);
    return value;
  }
}
