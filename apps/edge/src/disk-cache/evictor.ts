import { statSync, type Stats } from 'node:fs';
import { readdir, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Logger } from '@pets/platform';

const WARNING_INTERVAL_MS = 60_000;

export type WarnOfDisk = (error: unknown, message: string) => void;

/** @returns logs a warning about a folder, at most once a minute: a disk that is full or broken fails often */
export function warnsOfDisk(log: Logger, folder: string): WarnOfDisk {
  let warnedAtMs = -Infinity;
  return (error, message) => {
    const now = performance.now();
    if (now - warnedAtMs < WARNING_INTERVAL_MS) return;
    warnedAtMs = now;
    log.warn({ err: error, folder }, message);
  };
}

/** The folder of incomplete files, on the same disk, so that renaming is atomic. */
export const UNFINISHED = 'unfinished';

/** A file that grows by one byte for each unit of bytes that any process has written. */
export const WRITTEN_UNITS = 'written';

const CHECK_INTERVAL_MS = 1_000;

/** A temporary file that did not change for so long belongs to a process that was killed. */
const ABANDONED_AFTER_MS = 600_000;

/** Eviction goes on until so much of the limit is used: each needs a look at all entries. */
const LOW_WATER = 0.9;

/** How often all entries are looked at because of their age alone. */
const AGE_CHECK_MS = 24 * 3_600_000;

/** Work on the event loop between two ticks. */
const SLICE_MS = 5;

const SHARDS = Array.from({ length: 256 }, (_, index) => index.toString(16).padStart(2, '0'));

/** Ages of entries are distinguished to 2 %. */
const AGES_PER_OCTAVE = 32;

/** How many bytes a process writes until it reports them to the evictor. */
export function unitBytes(maxBytes: number): number {
  return Math.max(1, Math.floor(maxBytes / 256));
}

export interface EvictorOptions {
  readonly folder: string;
  readonly maxBytes: number;
  /** Entries that were not used for longer are deleted even if there is space. */
  readonly maxIdleMs: number;
  readonly log: Logger;
  readonly warn: WarnOfDisk;
}

/**
 * Keeps a `DiskCache` below its limit. It keeps no list of the entries, which would take memory for each: it counts them
 * once, then adds what the processes report to have written. Only when that exceeds the limit it looks at all entries again,
 * by age, and deletes the oldest. So the limit may be exceeded by what is written in a second and during a count.
 */
export class DiskCacheEvictor {
  readonly #options: EvictorOptions;
  readonly #stopping = new AbortController();
  #size: { entries: number; bytes: number } | undefined;
  #countedUnits = 0;
  #countedAtMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #checking: Promise<void> = Promise.resolve();
  #isChecking = false;

  constructor(options: EvictorOptions) {
    this.#options = options;
  }

  get size(): { readonly entries: number; readonly bytes: number } | undefined {
    return this.#size;
  }

  /** Deletes incomplete files. A write that loses its file is not cached; nothing else happens. */
  async start(): Promise<void> {
    await this.#deleteUnfinished(Infinity);
    await writeFile(this.#path(WRITTEN_UNITS), '', { mode: 0o600 }).catch((error: unknown) => this.#warn(error));
    // The first count is a second later: it would take processor time from the start of the edge.
    this.#timer = setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#checking;
  }

  #check(): void {
    if (this.#isChecking) return;
    this.#isChecking = true;
    this.#checking = this.#evictIfFull()
      .catch((error: unknown) => this.#warn(error))
      .finally(() => (this.#isChecking = false));
  }

  async #evictIfFull(): Promise<void> {
    const { maxBytes } = this.#options;
    await this.#deleteUnfinished(Date.now() - ABANDONED_AFTER_MS);
    const units = await this.#writtenUnits();
    const writtenBytes = (units - this.#countedUnits) * unitBytes(maxBytes);
    const isFull = this.#size === undefined || this.#size.bytes + writtenBytes > maxBytes;
    if (!isFull && performance.now() - this.#countedAtMs < AGE_CHECK_MS) return;
    const { bytesByAge, ...counted } = await this.#count();
    if (this.#stopping.signal.aborted) return;
    this.#size = counted;
    this.#countedUnits = units;
    this.#countedAtMs = performance.now();
    if (counted.bytes > maxBytes) await this.#evict(bytesByAge);
    if (units > SHARDS.length * 256) await this.#restartCount();
  }

  /** Counts the entries, and deletes those that were not used for too long. */
  async #count(): Promise<{ entries: number; bytes: number; bytesByAge: number[] }> {
    let entries = 0;
    let bytes = 0;
    const bytesByAge: number[] = [];
    const now = Date.now();
    await this.#forEachEntry((path, stats) => {
      if (now - stats.mtimeMs > this.#options.maxIdleMs) return this.#delete(path);
      const size = bytesOf(stats);
      entries += 1;
      bytes += size;
      const age = ageClass(now - stats.mtimeMs);
      bytesByAge[age] = (bytesByAge[age] ?? 0) + size;
      return undefined;
    });
    return { entries, bytes, bytesByAge };
  }

  async #evict(bytesByAge: readonly (number | undefined)[]): Promise<void> {
    const size = this.#size;
    if (size === undefined) return;
    const before = { ...size };
    const target = this.#options.maxBytes * LOW_WATER;
    const youngest = youngestToEvict(bytesByAge, size.bytes - target);
    const now = Date.now();
    await this.#forEachEntry((path, stats) => {
      if (size.bytes <= target || ageClass(now - stats.mtimeMs) < youngest) return undefined;
      const bytes = bytesOf(stats);
      size.bytes -= bytes;
      size.entries -= 1;
      return this.#delete(path);
    });
    const evicted = { entries: before.entries - size.entries, bytes: before.bytes - size.bytes };
    this.#options.log.info({ folder: this.#options.folder, ...evicted }, 'least recently used cached files deleted');
  }

  /** Visits all entries in slices: neither a visitor nor the feed waits for a disk with many files. */
  async #forEachEntry(visit: (path: string, stats: Stats) => Promise<void> | undefined): Promise<void> {
    let sliceEndsAt = performance.now() + SLICE_MS;
    for (const shard of SHARDS) {
      for (const name of await readdir(this.#path(shard)).catch(() => [])) {
        if (this.#stopping.signal.aborted) return;
        const path = join(this.#path(shard), name);
        const stats = statSync(path, { throwIfNoEntry: false });
        if (stats !== undefined) await visit(path, stats);
        if (performance.now() < sliceEndsAt) continue;
        await nextTick();
        sliceEndsAt = performance.now() + SLICE_MS;
      }
    }
  }

  async #deleteUnfinished(beforeMs: number): Promise<void> {
    for (const name of await readdir(this.#path(UNFINISHED)).catch(() => [])) {
      const path = join(this.#path(UNFINISHED), name);
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
      if (mtimeMs < beforeMs) await this.#delete(path);
    }
  }

  async #delete(path: string): Promise<void> {
    await rm(path, { force: true }).catch((error: unknown) => this.#warn(error));
  }

  async #writtenUnits(): Promise<number> {
    return stat(this.#path(WRITTEN_UNITS)).then(
      ({ size }) => size,
      () => 0,
    );
  }

  async #restartCount(): Promise<void> {
    await truncate(this.#path(WRITTEN_UNITS));
    this.#countedUnits = 0;
  }

  #warn(error: unknown): void {
    this.#options.warn(error, 'cached files not counted or deleted');
  }

  #path(name: string): string {
    return join(this.#options.folder, name);
  }
}

/** Disk space of a file: whole blocks of the file system. */
export function bytesOf({ size, blocks }: Stats): number {
  return Math.max(size, blocks * 512);
}

function ageClass(ageMs: number): number {
  return Math.floor(AGES_PER_OCTAVE * Math.log2(1 + Math.max(ageMs, 0) / 1_000));
}

/** The class of the youngest entries to delete so that `excessBytes` become free. */
function youngestToEvict(bytesByAge: readonly (number | undefined)[], excessBytes: number): number {
  let freed = 0;
  for (let age = bytesByAge.length - 1; age > 0; age--) {
    freed += bytesByAge[age] ?? 0;
    if (freed >= excessBytes) return age;
  }
  return 0;
}
