import { createHash } from 'node:crypto';
import type { FileStorage, Logger } from '@pets/platform';
import { contentKey, type SiteEntry } from '@pets/sites';
import { LRUCache } from 'lru-cache';
import type { DiskCache } from '../disk-cache/disk-cache.js';
import { FetchQueue } from '../fairness/fetch-queue.js';

/** A file is copied when it is requested again within this time: many files are requested once. */
const SECOND_USE_WITHIN_MS = 600_000;
const MAX_FIRST_USES = 20_000;

/** One deployment fills no more than this part of the cache in an hour, so it cannot replace the files of others. */
const MAX_SHARE = 1 / 8;
const SHARE_TTL_MS = 3_600_000;
const MAX_SITES = 20_000;

/** How long it is known that a file is on disk, or not; a cached file may be evicted. */
const KNOWN_MS = 60_000;
const MAX_KNOWN = 20_000;

/** Copies that run and wait; others are tried at a later request. */
const copyLimits = { running: 2, runningPerRequester: 1, waiting: 32, waitingPerRequester: 4 } as const;

/** A storage that is slower ends the copy. */
const COPY_LIMIT_MS = 30_000;
const MIN_BYTES_PER_MS = 256;

export interface SiteFileCacheOptions {
  readonly disk: DiskCache;
  readonly maxBytes: number;
  readonly storage: FileStorage;
  readonly log: Logger;
}

interface Copy {
  readonly entry: SiteEntry;
  readonly site: string;
}

/**
 * Copies of large deployed files on disk, by their SHA-256. A copy is made in the background, independently of the speed of
 * the client that asks, and kept only if it has the hash that identifies it.
 */
export class SiteFileCache {
  readonly #options: SiteFileCacheOptions;
  readonly #firstUses = new LRUCache<string, true>({ max: MAX_FIRST_USES, ttl: SECOND_USE_WITHIN_MS });
  readonly #present = new LRUCache<string, boolean>({ max: MAX_KNOWN, ttl: KNOWN_MS });
  readonly #filled = new LRUCache<string, number>({ max: MAX_SITES, ttl: SHARE_TTL_MS, noUpdateTTL: true });
  readonly #copying = new Set<string>();
  readonly #copies: FetchQueue<Copy>;

  constructor(options: SiteFileCacheOptions) {
    this.#options = options;
    this.#copies = new FetchQueue(copyLimits, (copy) => this.#copy(copy));
  }

  /** A part of a file; undefined when there is no copy of it. */
  async readFileRange(entry: SiteEntry, from: number, bytes: number): Promise<Buffer[] | undefined> {
    if (!this.#has(entry.sha256)) return undefined;
    const chunks = await this.#options.disk.readContent(entry.sha256, from, bytes, entry.bytes);
    if (chunks === undefined) this.#present.set(entry.sha256, false);
    return chunks;
  }

  /** Notes a request for a file, which may begin a copy. */
  requested(entry: SiteEntry, site: string): void {
    const { sha256, bytes } = entry;
    if (this.#has(sha256) || this.#copying.has(sha256)) return;
    if (!this.#firstUses.has(sha256)) {
      this.#firstUses.set(sha256, true);
      return;
    }
    const filled = this.#filled.get(site) ?? 0;
    if (filled + bytes > this.#options.maxBytes * MAX_SHARE) return;
    try {
      this.#copies.addFetch(site, { entry, site });
      this.#copying.add(sha256);
      this.#filled.set(site, filled + bytes);
    } catch {
      // Too many wait: a later request tries again.
    }
  }

  #has(sha256: string): boolean {
    const known = this.#present.get(sha256);
    if (known !== undefined) return known;
    const isPresent = this.#options.disk.has(sha256);
    this.#present.set(sha256, isPresent);
    return isPresent;
  }

  async #copy({ entry, site }: Copy): Promise<void> {
    const { sha256, bytes } = entry;
    const isCached = await this.#options.disk.fill(sha256, bytes, this.#verified(entry));
    this.#present.set(sha256, isCached);
    this.#copying.delete(sha256);
    this.#firstUses.delete(sha256);
    this.#options.log.debug({ sha256, site, bytes, isCached }, 'large file copied from the storage');
  }

  /** @throws Error at the end when the bytes have another hash, so that nothing is kept */
  async *#verified({ sha256, bytes }: SiteEntry): AsyncIterable<Buffer> {
    const hash = createHash('sha256');
    const stream = await this.#options.storage.read(contentKey(sha256));
    const limitMs = COPY_LIMIT_MS + bytes / MIN_BYTES_PER_MS;
    const timer = setTimeout(() => stream.destroy(new Error(`no copy within ${limitMs} ms`)), limitMs);
    try {
      for await (const chunk of stream) {
        hash.update(chunk as Buffer); // no encoding is set, so chunks are bytes
        yield chunk as Buffer;
      }
    } finally {
      clearTimeout(timer);
    }
    if (hash.digest('hex') !== sha256) throw new Error(`the stored file ${sha256} has another content`);
  }
}
