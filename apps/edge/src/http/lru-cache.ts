import { FairCache, type FairCacheSettings } from './fair-cache.js';

/**
 * What is expensive to make and never changes, by owner and key: made once however many ask at a time. What could not be made
 * is not remembered.
 */
export class LruCache<Value extends object> {
  readonly #kept: FairCache<Value>;
  readonly #beingMade = new Map<string, Promise<Value>>();

  constructor(settings: FairCacheSettings<Value>) {
    this.#kept = new FairCache(settings);
  }

  /** What can be had at once. */
  kept(owner: string, key: string): Value | undefined {
    return this.#kept.get(owner, key);
  }

  /** @throws what making it throws */
  get(owner: string, key: string, make: () => Promise<Value>): Promise<Value> {
    const kept = this.#kept.get(owner, key);
    if (kept !== undefined) return Promise.resolve(kept);
    const name = `${owner} ${key}`;
    const underWay = this.#beingMade.get(name);
    if (underWay !== undefined) return underWay;
    const making = this.#make(owner, key, make).finally(() => this.#beingMade.delete(name));
    this.#beingMade.set(name, making);
    return making;
  }

  async #make(owner: string, key: string, make: () => Promise<Value>): Promise<Value> {
    const value = await make();
    this.#kept.set(owner, key, value);
    return value;
  }
}
