export interface FairCacheSettings<Value> {
  readonly maxBytes: number;
  readonly bytesOf: (value: Value) => number;
  readonly nowMs?: () => number;
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/** What one owner has in the cache; entries that were used least recently come first. */
interface Share<Value> {
  readonly owner: string;
  readonly entries: Map<string, Entry<Value>>;
  bytes: number;
  usedAtMs: number;
}

/** Rough memory of an entry, and of an owner, besides what the entry holds. */
const ENTRY_BYTES = 256;
const OWNER_BYTES = 512;

/** No owner has more than this part of a cache. */
const LARGEST_PART = 1 / 4;

/** An owner that nobody has asked for in this time is evicted before any that somebody has. */
const COLD_AFTER_MS = 60_000;

/**
 * A cache that owners who do not trust each other share. When it is full, owners that were not used for a minute are evicted
 * first, and then the largest owner loses what it has used least recently. So an owner in use that holds less than half of an
 * equal share is never evicted, whatever the others do.
 */
export class FairCache<Value extends object> {
  readonly #settings: FairCacheSettings<Value>;
  readonly #nowMs: () => number;
  /** Owners that were used least recently come first, to the second. */
  readonly #shares = new Map<string, Share<Value>>();
  /** The same by the order of magnitude of their bytes, base 2, so that a large one is found without a search. */
  readonly #sizes = Array.from({ length: 32 }, () => new Set<Share<Value>>());
  #bytes = 0;

  constructor(settings: FairCacheSettings<Value>) {
    this.#settings = settings;
    this.#nowMs = settings.nowMs ?? (() => performance.now());
  }

  get(owner: string, key: string): Value | undefined {
    const share = this.#shares.get(owner);
    const entry = share?.entries.get(key);
    if (share === undefined || entry === undefined) return undefined;
    this.#use(share);
    share.entries.delete(key);
    share.entries.set(key, entry);
    return entry.value;
  }

  /** A value that is larger than what one owner may have is not kept. */
  set(owner: string, key: string, value: Value): void {
    const { maxBytes, bytesOf } = this.#settings;
    const bytes = bytesOf(value) + key.length + ENTRY_BYTES;
    const most = maxBytes * LARGEST_PART;
    if (bytes + OWNER_BYTES > most) return;
    const share = this.#shares.get(owner) ?? this.#addOwner(owner);
    this.#use(share);
    this.#remove(share, key);
    share.entries.set(key, { value, bytes });
    this.#grow(share, bytes);
    while (share.bytes > most) this.#evictOldest(share);
    while (this.#bytes > maxBytes) this.#evictOldest(this.#chooseVictim(share));
  }

  #addOwner(owner: string): Share<Value> {
    const share: Share<Value> = { owner, entries: new Map(), bytes: 0, usedAtMs: 0 };
    this.#shares.set(owner, share);
    this.#sizes[0]?.add(share);
    this.#grow(share, OWNER_BYTES);
    return share;
  }

  #use(share: Share<Value>): void {
    const now = this.#nowMs();
    if (share.usedAtMs !== 0 && now - share.usedAtMs < 1_000) return;
    share.usedAtMs = now;
    this.#shares.delete(share.owner);
    this.#shares.set(share.owner, share);
  }

  #chooseVictim(otherwise: Share<Value>): Share<Value> {
    const [coldest] = this.#shares.values();
    if (coldest !== undefined && this.#nowMs() - coldest.usedAtMs > COLD_AFTER_MS) return coldest;
    const largest = this.#sizes.findLast(({ size }) => size > 0);
    const [victim] = largest ?? [];
    return victim ?? otherwise;
  }

  #evictOldest(share: Share<Value>): void {
    const [oldest] = share.entries.keys();
    if (oldest !== undefined) this.#remove(share, oldest);
    if (share.entries.size > 0) return;
    this.#grow(share, -share.bytes);
    this.#sizes[0]?.delete(share);
    this.#shares.delete(share.owner);
  }

  #remove(share: Share<Value>, key: string): void {
    const entry = share.entries.get(key);
    if (entry === undefined) return;
    share.entries.delete(key);
    this.#grow(share, -entry.bytes);
  }

  #grow(share: Share<Value>, bytes: number): void {
    const before = sizeClassOf(share.bytes);
    share.bytes += bytes;
    this.#bytes += bytes;
    const after = sizeClassOf(share.bytes);
    if (before === after) return;
    this.#sizes[before]?.delete(share);
    this.#sizes[after]?.add(share);
  }
}

function sizeClassOf(bytes: number): number {
  return bytes === 0 ? 0 : 31 - Math.clz32(bytes);
}
