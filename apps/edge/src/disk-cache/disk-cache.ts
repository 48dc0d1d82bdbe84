import { createHash, randomUUID } from 'node:crypto';
import { closeSync, existsSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { appendFile, mkdir, open, rename, rm, utimes, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from '@pets/platform';
import { LRUCache } from 'lru-cache';
import type { EdgeConfig } from '../platform/config.js';
import { errorCode } from '../platform/error-code.js';
import { BLOCK_BYTES, contentLength, decodeBlocks, encodeBlock, encodeBlocks, storedSpan } from './checked-blocks.js';
import {
  bytesOf,
  DiskCacheEvictor,
  UNFINISHED,
  unitBytes,
  warnsOfDisk,
  WRITTEN_UNITS,
  type WarnOfDisk,
} from './evictor.js';

/** The time of use of an entry is written at most so often. */
const TOUCH_INTERVAL_MS = 3_600_000;

/** Entries whose time of use was written lately. */
const MAX_TOUCHED = 20_000;

/** Entries that are being written; more are not cached, so that a disk that hangs takes no memory. */
const MAX_WRITES = 256;

interface DiskCacheOptions {
  readonly folder: string;
  readonly maxBytes: number;
  /** Entries that were not used for longer are deleted even if there is space; by default none. */
  readonly maxIdleMs?: number;
  /** Whether this process deletes entries when there are too many: one process of the edge. */
  readonly isEvictor: boolean;
  readonly log: Logger;
}

/**
 * Files by key, of limited total size. All processes of an edge share the folder. Losing an entry is harmless: nothing waits
 * for the disk (no fsync), a damaged entry counts as absent and is deleted, and a full disk means only that nothing is
 * cached.
 *
 * An entry is a file `<2 hex digits>/<SHA-256 of the key>` in the format of `checked-blocks.ts`. A write renames a complete
 * temporary file. The evictor deletes the least recently used entries (`evictor.ts`).
 */
export class DiskCache {
  readonly #folder: string;
  readonly #log: Logger;
  readonly #unitBytes: number;
  readonly #evictor: DiskCacheEvictor | undefined;
  readonly #touched = new LRUCache<string, true>({ max: MAX_TOUCHED, ttl: TOUCH_INTERVAL_MS });
  readonly #writes = new Set<Promise<boolean>>();
  readonly #warn: WarnOfDisk;
  #uncountedBytes = 0;

  private constructor({ folder, maxBytes, maxIdleMs = Infinity, isEvictor, log }: DiskCacheOptions) {
    this.#folder = folder;
    this.#log = log;
    this.#unitBytes = unitBytes(maxBytes);
    this.#warn = warnsOfDisk(log, folder);
    this.#evictor = isEvictor
      ? new DiskCacheEvictor({ folder, maxBytes, maxIdleMs, log, warn: this.#warn })
      : undefined;
  }

  /** Creates the folder. The evictor deletes what killed processes left and begins to count the entries. */
  static async open(options: DiskCacheOptions): Promise<DiskCache> {
    const cache = new DiskCache(options);
    await mkdir(join(options.folder, UNFINISHED), { recursive: true, mode: 0o700 });
    await cache.#evictor?.start();
    return cache;
  }

  /** Entries and their bytes, as last counted; undefined in a process that does not evict, and before the first count. */
  get size(): { readonly entries: number; readonly bytes: number } | undefined {
    return this.#evictor?.size;
  }

  has(key: string): boolean {
    return existsSync(this.#path(key));
  }

  /** A small entry. Synchronous: that takes a twentieth of the five trips through the thread pool. */
  readSmall(key: string): Buffer | undefined {
    const path = this.#path(key);
    const stored = readFileIfExists(path);
    if (stored === undefined) return undefined;
    const contentBytes = contentLength(stored.length);
    const chunks = decodeBlocks(key, stored, { from: 0, bytes: contentBytes, contentBytes });
    if (chunks === undefined) return this.#discard(key, 'checksum mismatch');
    this.#touch(key, path);
    return chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
  }

  /**
   * A range of an entry.
   * @param contentBytes the length of the complete entry
   * @returns undefined when it is absent or damaged
   */
  async readContent(key: string, from: number, bytes: number, contentBytes: number): Promise<Buffer[] | undefined> {
    const path = this.#path(key);
    const { position, length } = storedSpan(from, bytes, contentBytes);
    let file: FileHandle | undefined;
    try {
      file = await open(path);
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, position);
      const chunks = bytesRead === length ? decodeBlocks(key, buffer, { from, bytes, contentBytes }) : undefined;
      if (chunks === undefined) return this.#discard(key, 'checksum mismatch');
      this.#touch(key, path);
      return chunks;
    } catch (error) {
      return errorCode(error) === 'ENOENT' ? undefined : this.#discard(key, error);
    } finally {
      await file?.close();
    }
  }

  /** @returns whether it is cached. Never rejects */
  write(key: string, content: Buffer): Promise<boolean> {
    if (this.#writes.size >= MAX_WRITES) return Promise.resolve(false);
    return this.#track(this.#replace(key, (file) => file.writeFile(encodeBlocks(key, content))));
  }

  /**
   * Writes an entry while it arrives.
   * @param contentBytes its exact length
   * @returns whether it is cached. Never rejects: when the source fails, nothing is cached
   */
  fill(key: string, contentBytes: number, source: AsyncIterable<Buffer>): Promise<boolean> {
    if (this.#writes.size >= MAX_WRITES) return Promise.resolve(false);
    return this.#track(this.#replace(key, (file) => writeBlocks(file, key, contentBytes, source)));
  }

  async delete(key: string): Promise<void> {
    this.#touched.delete(key);
    await rm(this.#path(key), { force: true }).catch((error: unknown) => this.#warn(error, 'cached file not deleted'));
  }

  /** Waits for entries that are being written. */
  async close(): Promise<void> {
    await Promise.all([...this.#writes, this.#evictor?.stop()]);
  }

  async #track(write: Promise<boolean>): Promise<boolean> {
    this.#writes.add(write);
    try {
      return await write;
    } finally {
      this.#writes.delete(write);
    }
  }

  async #replace(key: string, write: (file: FileHandle) => Promise<void>): Promise<boolean> {
    const temporary = join(this.#folder, UNFINISHED, randomUUID());
    const path = this.#path(key);
    try {
      const file = await open(temporary, 'wx', 0o600);
      try {
        await write(file);
        this.#countWritten(bytesOf(await file.stat()));
      } finally {
        await file.close();
      }
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(temporary, path);
      this.#touched.set(key, true);
      return true;
    } catch (error) {
      this.#warn(error, 'file not cached');
      await rm(temporary, { force: true }).catch(() => undefined); // the evictor deletes it later
      return false;
    }
  }

  /** Reports written bytes to the evictor, which may be another process, through the length of a file. */
  #countWritten(bytes: number): void {
    this.#uncountedBytes += bytes;
    const units = Math.floor(this.#uncountedBytes / this.#unitBytes);
    if (units === 0) return;
    this.#uncountedBytes -= units * this.#unitBytes;
    appendFile(join(this.#folder, WRITTEN_UNITS), '.'.repeat(units), { mode: 0o600 }).catch((error: unknown) =>
      this.#warn(error, 'size of cached files not counted'),
    );
  }

  #touch(key: string, path: string): void {
    if (this.#touched.has(key)) return;
    this.#touched.set(key, true);
    const now = new Date();
    const { mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    // It may have been evicted meanwhile.
    if (now.getTime() - mtimeMs >= TOUCH_INTERVAL_MS) utimes(path, now, now).catch(() => undefined);
  }

  #discard(key: string, reason: unknown): undefined {
    this.#log.warn({ err: reason, key }, 'cached file damaged; deleted');
    void this.delete(key);
  }

  #path(key: string): string {
    const name = createHash('sha256').update(key).digest('hex');
    return join(this.#folder, name.slice(0, 2), name);
  }
}

function readFileIfExists(path: string): Buffer | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return undefined; // absent; or unreadable, which is as good
  }
  try {
    const stored = Buffer.allocUnsafe(fstatSync(file).size);
    return stored.subarray(0, readSync(file, stored, 0, stored.length, 0));
  } catch {
    return Buffer.alloc(0);
  } finally {
    closeSync(file);
  }
}

async function writeBlocks(
  file: FileHandle,
  key: string,
  contentBytes: number,
  source: AsyncIterable<Buffer>,
): Promise<void> {
  let written = 0;
  let index = 0;
  let pending: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const blocks: Buffer[] = [];
    while (pending.length >= BLOCK_BYTES || (pending.length > 0 && written + pending.length === contentBytes)) {
      const block = pending.subarray(0, BLOCK_BYTES);
      pending = pending.subarray(block.length);
      written += block.length;
      blocks.push(...encodeBlock(key, index, written === contentBytes, block));
      index += 1;
    }
    if (written > contentBytes) break;
    if (blocks.length > 0) await file.writeFile(Buffer.concat(blocks)); // from the current position
  }
  if (written !== contentBytes || pending.length > 0) throw new Error(`expected ${contentBytes} bytes to cache`);
}

/**
 * A certificate that was not opened for longer has expired or was replaced. Those of removed domains are deleted at the
 * removal, but an edge that was away then, and loads a snapshot, does not learn of it.
 */
const CERTIFICATE_IDLE_MS = 100 * 24 * 3_600_000;

/** The caches on the disk of an edge, which its processes share. */
export interface DiskCaches {
  /** Sealed certificates by id, as JSON. */
  readonly certificates: DiskCache;
  /** Deployed files by SHA-256; undefined without a cache for them. */
  readonly siteFiles: DiskCache | undefined;
  close(): Promise<void>;
}

/** @param isEvictor for one process of the edge, which opens them before the others: `DiskCacheOptions` */
export async function openDiskCaches(config: EdgeConfig, isEvictor: boolean, log: Logger): Promise<DiskCaches> {
  const open = (name: string, maxBytes: number, maxIdleMs?: number) => {
    const folder = join(config.EDGE_DATA_DIR, 'cache', name);
    return DiskCache.open({ folder, maxBytes, ...(maxIdleMs !== undefined && { maxIdleMs }), isEvictor, log });
  };
  const certificates = await open('certificates', config.EDGE_CERTIFICATE_CACHE_BYTES, CERTIFICATE_IDLE_MS);
  const siteFiles = cachesSiteFiles(config) ? await open('site-files', config.EDGE_SITE_CACHE_BYTES) : undefined;
  if (siteFiles === undefined && isEvictor)
    await rm(join(config.EDGE_DATA_DIR, 'cache', 'site-files'), { recursive: true, force: true });
  return {
    certificates,
    siteFiles,
    close: async () => void (await Promise.all([certificates.close(), siteFiles?.close()])),
  };
}

/** A local folder needs no second copy on a local disk. */
function cachesSiteFiles({ STORAGE_URL, EDGE_SITE_CACHE_BYTES }: EdgeConfig): boolean {
  return EDGE_SITE_CACHE_BYTES > 0 && STORAGE_URL.startsWith('s3://');
}
