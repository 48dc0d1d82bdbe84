import { performance } from 'node:perf_hooks'; // the global one is a getter, which is called at each use

export interface FairCacheOptions<Value> {
  readonly maxBytes: number;
  readonly bytesOf: (value: Value) => number;
  readonly nowMs?: () => number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
  usedAtMs: number;
}

/** The entries of one owner, the least recently used first, to the second. */
interface Share<Value> {
  readonly owner: string;
  readonly entries: Map<string, Entry<Value>>;
  bytes: number;
  usedAtMs: number;
}

/** Approximate memory of an entry, and of an owner, besides the values. */
const ENTRY_BYTES = 256;
const OWNER_BYTES = 512;

/** How often a use changes the order of what is evicted: doing it at each use was 1 % of the time of a request. */
const USED_PRECISION_MS = 1_000;

/** No owner has more than this part of a cache. */
const MAX_SHARE = 1 / 4;

/** Owners without a request for this long are evicted before all others. */
const COLD_AFTER_MS = 60_000;

/**
 * A cache shared by owners who do not trust each other. When it is full, it first evicts from owners that were not used for a
 * minute, then from the largest owner, each time the least recently used entry. An owner in use that holds less than half of
 * an equal share is never evicted, whatever the others do.
 */
export class FairCache<Value extends object> {
  readonly #options: FairCacheOptions<Value>;
  readonly #nowMs: () => number;
  /** The least recently used owners first, to the second. */
  readonly #shares = new Map<string, Share<Value>>();
  /** Shares by the base-2 order of magnitude of their bytes, to find a large one without a search. */
  readonly #sizes = Array.from({ length: 32 }, () => new Set<Share<Value>>());
  #bytes = 0;

  constructor(options: FairCacheOptions<Value>) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  get(owner: string, key: string): Value | undefined {
    const share = this.#shares.get(owner);
    const entry = share?.entries.get(key);
    if (share === undefined || entry === undefined) return undefined;
    const now = this.#nowMs();
    this.#markUsed(share, now);
    if (now - entry.usedAtMs >= USED_PRECISION_MS) {
      entry.usedAtMs = now;
      share.entries.delete(key);
      share.entries.set(key, entry);
    }
    return entry.value;
  }

  /** Does not keep a value that is larger than the maximum share of an owner. */
  set(owner: string, key: string, value: Value): void {
    const { maxBytes, bytesOf } = this.#options;
    const bytes = bytesOf(value) + key.length + ENTRY_BYTES;
    const maxShareBytes = maxBytes * MAX_SHARE;
    if (bytes + OWNER_BYTES > maxShareBytes) return;
    const share = this.#shares.get(owner) ?? this.#addOwner(owner);
    this.#markUsed(share, this.#nowMs());
    this.#remove(share, key);
    share.entries.set(key, { value, bytes, usedAtMs: -Infinity });
    this.#resize(share, bytes);
    while (share.bytes > maxShareBytes) this.#evictOldest(share);
    while (this.#bytes > maxBytes) this.#evictOldest(this.#chooseVictim(share));
  }

  delete(owner: string, key: string): void {
    const share = this.#shares.get(owner);
    if (share === undefined) return;
    this.#remove(share, key);
    if (share.entries.size === 0) this.#removeOwner(share);
  }

  #addOwner(owner: string): Share<Value> {
    const share: Share<Value> = { owner, entries: new Map(), bytes: 0, usedAtMs: 0 };
    this.#shares.set(owner, share);
    this.#sizes[0]?.add(share);
    this.#resize(share, OWNER_BYTES);
    return share;
  }

  #markUsed(share: Share<Value>, now: number): void {
    if (share.usedAtMs !== 0 && now - share.usedAtMs < USED_PRECISION_MS) return;
    share.usedAtMs = now;
    this.#shares.delete(share.owner);
    this.#shares.set(share.owner, share);
  }

  #chooseVictim(fallback: Share<Value>): Share<Value> {
    const [coldest] = this.#shares.values();
    if (coldest !== undefined && this.#nowMs() - coldest.usedAtMs > COLD_AFTER_MS) return coldest;
    const [largest] = this.#sizes.findLast(({ size }) => size > 0) ?? [];
    return largest ?? fallback;
  }

  #evictOldest(share: Share<Value>): void {
    const [oldest] = share.entries.keys();
    if (oldest !== undefined) this.#remove(share, oldest);
    if (share.entries.size === 0) this.#removeOwner(share);
  }

  #removeOwner(share: Share<Value>): void {
    this.#resize(share, -share.bytes);
    this.#sizes[0]?.delete(share);
    this.#shares.delete(share.owner);
  }

  #remove(share: Share<Value>, key: string): void {
    const entry = share.entries.get(key);
    if (entry === undefined) return;
    share.entries.delete(key);
    this.#resize(share, -entry.bytes);
  }

  #resize(share: Share<Value>, addedBytes: number): void {
    const before = sizeClassOf(share.bytes);
    share.bytes += addedBytes;
    this.#bytes += addedBytes;
    const after = sizeClassOf(share.bytes);
    if (before === after) return;
    this.#sizes[before]?.delete(share);
    this.#sizes[after]?.add(share);
  }
}

function sizeClassOf(bytes: number): number {
  return bytes === 0 ? 0 : 31 - Math.clz32(bytes);
}

/** A `FairCache` of immutable values that are expensive to load. Concurrent callers share one load; failures are not kept. */
export class LoadingCache<Value extends object> {
  readonly #loaded: FairCache<Value>;
  readonly #loading = new Map<string, Promise<Value>>();

  constructor(options: FairCacheOptions<Value>) {
    this.#loaded = new FairCache(options);
  }

  /** @returns undefined for a value that is not in memory */
  peek(owner: string, key: string): Value | undefined {
    return this.#loaded.get(owner, key);
  }

  /** @throws the error of the load */
  get(owner: string, key: string, load: () => Promise<Value>): Promise<Value> {
    const loaded = this.#loaded.get(owner, key);
    if (loaded !== undefined) return Promise.resolve(loaded);
    const name = `${owner} ${key}`;
    const current = this.#loading.get(name);
    if (current !== undefined) return current;
    const loading = this.#load(owner, key, load).finally(() => this.#loading.delete(name));
    this.#loading.set(name, loading);
    return loading;
  }

  async #load(owner: string, key: string, load: () => Promise<Value>): Promise<Value> {
    const value = await load();
    this.#loaded.set(owner, key, value);
    return value;
  }
}
