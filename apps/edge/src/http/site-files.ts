import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { withTimeout } from '@pets/async';
import type { ByteSpan, FileStorage } from '@pets/platform';
import {
  contentKey,
  findInPage,
  findPage,
  hashPath,
  pageInHead,
  readSiteIndexHead,
  readSiteIndexPage,
  readSiteRules,
  SiteRules,
  type Site,
  type SiteEntry,
  type SiteIndex,
  type SiteIndexHead,
} from '@pets/sites';
import { LoadingCache } from '../fairness/fair-cache.js';
import { OwnerQueue } from '../fairness/fetch-queue.js';
import { SLICE_BYTES } from '../sending/minimum-rate.js';
import { StorageReads, type ReadSource } from '../sending/storage-reads.js';
import type { Connection } from '../tls/connection.js';
import type { Coding } from './choose-representation.js';
import { memoryBytes, STORAGE_TIMEOUT_MS, STORAGE_WAIT_MS, STORAGE_WAIT_STARTED_MS, storageReads } from './limits.js';
import type { SiteFileCache } from './site-file-cache.js';
import { FileSlices } from './plan-reply.js';

/** Bytes that parsed rules take for each stored one. */
const RULE_MEMORY = 8;

/** The head of a deployment's index, and its rules, if it has any. */
interface SiteHead {
  readonly index: SiteIndexHead;
  readonly rules: SiteRules | undefined;
}

/**
 * Finds the files of deployments. Of a large index it reads only the pages that are needed. A path that does not exist needs
 * the page that would contain it, so no number of such paths fills the cache.
 */
class SiteIndexes {
  readonly #storage: FileStorage;
  readonly #heads = new LoadingCache<SiteHead>({
    maxBytes: memoryBytes.indexHeads,
    bytesOf: ({ index }) => index.bytes.length + index.rulesBytes * RULE_MEMORY,
  });
  readonly #pages = new LoadingCache<Buffer>({ maxBytes: memoryBytes.indexPages, bytesOf: ({ length }) => length });

  constructor(storage: FileStorage) {
    this.#storage = storage;
  }

  /** @throws Error when the storage does not answer */
  open(contentHash: string): Promise<SiteHead> {
    // The limit applies to the caller only: the next request does not restart a slow read.
    const reading = this.#heads.get(contentHash, 'head', () => this.#readHead(contentHash));
    return withTimeout(reading, STORAGE_TIMEOUT_MS, 'reading the index of a deployment');
  }

  /** @returns the files of the deployment among the paths. @throws Error when the storage does not answer */
  async find({ index }: SiteHead, paths: readonly string[]): Promise<SiteIndex> {
    const entries = await Promise.all(paths.map(async (path) => [path, await this.#findIn(index, path)] as const));
    return new Map(entries.filter((found): found is readonly [string, SiteEntry] => found[1] !== undefined));
  }

  async #readHead(contentHash: string): Promise<SiteHead> {
    const index = await readSiteIndexHead(this.#storage, contentHash);
    const rules = await readSiteRules(this.#storage, index);
    return { index, rules: rules === undefined ? undefined : SiteRules.parse(rules) };
  }

  async #findIn(head: SiteIndexHead, path: string): Promise<SiteEntry | undefined> {
    const pathHash = hashPath(path);
    const page = findPage(head, pathHash);
    if (page === undefined) return undefined;
    return findInPage(pageInHead(head, page) ?? (await this.#readPage(head, page)), pathHash);
  }

  #readPage(head: SiteIndexHead, page: number): Promise<Buffer> {
    return this.#pages.get(head.contentHash, String(page), () =>
      withTimeout(
        readSiteIndexPage(this.#storage, head, page),
        STORAGE_TIMEOUT_MS,
        'reading the index of a deployment',
      ),
    );
  }
}

/** The connection that reads, and the deployment. */
export interface Reader {
  readonly connection: Connection;
  readonly site: string;
}

/** Medium: higher levels take much more time for slightly smaller results. */
const BROTLI_QUALITY = 5;

/** Node's pool has four threads and also reads files with them. */
const MAX_CONCURRENT_COMPRESSIONS = 2;

const compressors = {
  br: (bytes: Buffer) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes),
} as const satisfies Record<Coding, (bytes: Buffer) => Promise<Buffer>>;

const bytesOf = ({ length }: Buffer): number => length;

export interface SiteFilesOptions {
  readonly storage: FileStorage;
  /** Copies of large files on disk; undefined without. */
  readonly cache?: SiteFileCache | undefined;
  /** False behind a load balancer, where all visitors have the same address. */
  readonly limitsAddresses?: boolean;
}

/**
 * Reads and caches deployed files. A deployment never changes and contents are identified by their hash, so no entry ever
 * becomes stale. Each entry counts for the deployment for which it was read.
 */
export class SiteFiles {
  readonly #storage: FileStorage;
  readonly #cache: SiteFileCache | undefined;
  readonly #indexes: SiteIndexes;
  readonly #small = new LoadingCache<Buffer>({ maxBytes: memoryBytes.files, bytesOf });
  readonly #compressing = new OwnerQueue(MAX_CONCURRENT_COMPRESSIONS);
  readonly #compressed = new LoadingCache<Buffer>({ maxBytes: memoryBytes.compressed, bytesOf });
  /** First slices of large files, shared by all responses: a client that requests many and reads nothing adds no memory. */
  readonly #starts = new LoadingCache<Buffer>({ maxBytes: memoryBytes.starts, bytesOf });
  readonly #reads: StorageReads;
  /** Reads of copies on disk wait for each other only, not for a slow storage. */
  readonly #cacheReads: StorageReads;

  constructor({ storage, cache, limitsAddresses = true }: SiteFilesOptions) {
    this.#storage = storage;
    this.#cache = cache;
    this.#indexes = new SiteIndexes(storage);
    const limits = { ...storageReads, ...(limitsAddresses ? {} : { perAddress: Infinity }) };
    this.#reads = new StorageReads(limits);
    this.#cacheReads = new StorageReads(limits);
  }

  /** The rules of a deployment, and its files among some paths. @throws Error when the storage does not answer */
  async open(contentHash: string): Promise<Site> {
    const head = await this.#indexes.open(contentHash);
    return { rules: head.rules, find: (paths) => this.#indexes.find(head, paths) };
  }

  /** Whether a file is cached completely. */
  isSmall(entry: SiteEntry): boolean {
    return entry.bytes <= memoryBytes.file;
  }

  /** The bytes of a small file. @throws Error when it cannot be read, and StorageBusyError */
  small(entry: SiteEntry, reader: Reader): Promise<Buffer> {
    return this.#load(this.#small, entry, reader, () => this.#read(entry));
  }

  /** The compressed bytes of a file. @throws Error when it cannot be read */
  compress(contentHash: string, entry: SiteEntry, coding: Coding): Promise<Buffer> {
    const compress = async () => compressors[coding](await this.#read(entry));
    const load = () => this.#compressing.run(contentHash, compress);
    return this.#compressed.get(contentHash, `${entry.sha256} ${coding}`, load);
  }

  /**
   * A part of a large file. Reads its first slice, so that a failure comes before the response has started.
   * @throws Error when it cannot be read, and StorageBusyError
   */
  async slices(entry: SiteEntry, { first: from, last }: ByteSpan, reader: Reader): Promise<FileSlices> {
    const bytes = last - from + 1;
    const firstBytes = Math.min(bytes, SLICE_BYTES);
    this.#cache?.requested(entry, reader.site);
    const isShared = from === 0 && firstBytes === SLICE_BYTES;
    const first = await (isShared
      ? this.#load(this.#starts, entry, reader, async () =>
          Buffer.concat(
            (await this.#cache?.readFileRange(entry, from, firstBytes)) ??
              (await this.#stored(entry, from, firstBytes)),
          ),
        )
      : this.#piece(entry, from, firstBytes, reader, STORAGE_WAIT_MS).then((chunks) => Buffer.concat(chunks)));
    const read = (at: number, count: number) => this.#piece(entry, at, count, reader, STORAGE_WAIT_STARTED_MS);
    const isMemoryTight = () => reader.connection.writes.isTight(reader.connection);
    return new FileSlices(first, { from, bytes, read, isMemoryTight });
  }

  /** Reads from the storage in progress. */
  get activeReads(): number {
    return this.#reads.active;
  }

  /** Returns cached bytes at once. A miss counts as a read of this reader, even if another reader already loads the same bytes. */
  #load(
    cache: LoadingCache<Buffer>,
    { sha256 }: SiteEntry,
    reader: Reader,
    read: () => Promise<Buffer>,
  ): Promise<Buffer> {
    const cached = cache.peek(reader.site, sha256);
    if (cached !== undefined) return Promise.resolve(cached);
    return this.#reads.run(placeOf(reader), STORAGE_WAIT_MS, () => cache.get(reader.site, sha256, read));
  }

  async #read({ sha256, bytes }: SiteEntry): Promise<Buffer> {
    return Buffer.concat(await readAll(() => this.#storage.read(contentKey(sha256)), bytes));
  }

  /** From the copy on disk, else from the storage: also when the copy was evicted during the response. */
  async #piece(
    entry: SiteEntry,
    from: number,
    bytes: number,
    reader: Reader,
    waitMs: number,
  ): Promise<readonly Buffer[]> {
    const cache = this.#cache;
    const place = placeOf(reader);
    const cached = cache && (await this.#cacheReads.run(place, waitMs, () => cache.readFileRange(entry, from, bytes)));
    if (cached !== undefined) return cached;
    return this.#reads.run(place, waitMs, () => this.#stored(entry, from, bytes));
  }

  #stored({ sha256 }: SiteEntry, from: number, bytes: number): Promise<readonly Buffer[]> {
    const span = { first: from, last: from + bytes - 1 };
    return readAll(() => this.#storage.read(contentKey(sha256), span), bytes);
  }
}

/** Reads a stream within the time limit. @throws Error when it has another number of bytes */
async function readAll(open: () => Promise<Readable>, bytes: number): Promise<readonly Buffer[]> {
  const reading = new AbortController();
  const read = async () => {
    const stream = await open();
    if (reading.signal.aborted) stream.destroy();
    else reading.signal.addEventListener('abort', () => stream.destroy());
    const chunks: Buffer[] = [];
    let left = bytes;
    for await (const chunk of stream) {
      chunks.push(chunk as Buffer); // no encoding is set, so chunks are bytes
      left -= (chunk as Buffer).length;
      if (left < 0) break;
    }
    if (left !== 0) throw new Error(`a stored file does not have the expected ${bytes} bytes`);
    return chunks;
  };
  return withTimeout(read(), STORAGE_TIMEOUT_MS, 'reading a deployed file').finally(() => reading.abort());
}

function placeOf({ connection, site }: Reader): ReadSource {
  return { connection, addressGroup: connection.addressGroup, site };
}
