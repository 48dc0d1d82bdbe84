import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { withTimeout } from '@pets/async';
import { contentKey, type ByteSpan, type FileStorage, type SiteEntry, type SiteIndex } from '@pets/platform';
import { SLICE_BYTES } from '../sending/minimum-rate.js';
import { StorageReads, type Place } from '../sending/storage-reads.js';
import type { Connection } from '../tls/connection.js';
import type { Coding } from './accept-encoding.js';
import { LruCache } from './lru-cache.js';
import { LOOK_UP_LIMIT_MS, memoryBytes, STORAGE_WAIT_BEGUN_MS, STORAGE_WAIT_MS, storageReads } from './limits.js';
import { OwnerQueue } from './owner-queue.js';
import { SiteIndexes } from './site-indexes.js';
import { FileSlices } from './slices.js';

/** Who asks, and for a file of which deployment. */
export interface Reader {
  readonly connection: Connection;
  readonly site: string;
}

/** Half-way up: beyond it, a page costs much more time for a little less of the wire. */
const BROTLI_QUALITY = 5;

/** Node's pool has four threads, and reads files with them, too. */
const COMPRESSED_AT_A_TIME = 2;

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

/**
 * The deployed files. A deployment never changes and contents are known by their hash, so whatever was read once may
 * be kept as long as there is room: nothing is ever out of date. What is kept belongs to the deployment it was read for.
 */
export class SiteFiles {
  readonly #indexes: SiteIndexes;
  readonly #small = new LruCache<Buffer>({ maxBytes: memoryBytes.files, bytesOf });
  readonly #compressing = new OwnerQueue(COMPRESSED_AT_A_TIME);
  readonly #compressed = new LruCache<Buffer>({ maxBytes: memoryBytes.compressed, bytesOf });
  /** First slices of large files: who asks for many and takes nothing has them all in this memory. */
  readonly #starts = new LruCache<Buffer>({ maxBytes: memoryBytes.starts, bytesOf });
  readonly #reads: StorageReads;

  /** @param limitsAddresses not behind a load balancer, where all visitors have the same one */
  constructor(
    private readonly storage: FileStorage,
    limitsAddresses = true,
  ) {
    this.#indexes = new SiteIndexes(storage);
    this.#reads = new StorageReads({ ...storageReads, ...(limitsAddresses ? {} : { perAddress: Infinity }) });
  }

  /** Those of the paths that a deployment has. @throws Error when the storage cannot tell */
  find(contentHash: string, paths: readonly string[]): Promise<SiteIndex> {
    return this.#indexes.find(contentHash, paths);
  }

  /** Whether a file is kept in memory once it was read. */
  isSmall(entry: SiteEntry): boolean {
    return entry.bytes <= memoryBytes.file;
  }

  /** The bytes of a small file. @throws Error when the storage does not have them, or too many read from it */
  small(entry: SiteEntry, reader: Reader): Promise<Buffer> {
    return this.#inTurn(this.#small, entry, reader, () => this.#read(entry));
  }

  /** A file's bytes, compressed once and kept. @throws Error when the storage does not have them */
  compress(contentHash: string, entry: SiteEntry, coding: Coding): Promise<Buffer> {
    const work = async () => compressors[coding](await this.#read(entry));
    return this.#compressed.get(contentHash, `${entry.sha256} ${coding}`, () =>
      this.#compressing.run(contentHash, work),
    );
  }

  /**
   * Some of a large file, from its first slice on. What may be refused is refused here, before an answer has begun.
   * @throws Error when the storage does not have it, or too many read from it
   */
  async slices(entry: SiteEntry, { first: from, last }: ByteSpan, reader: Reader): Promise<FileSlices> {
    const bytes = last - from + 1;
    const firstBytes = Math.min(bytes, SLICE_BYTES);
    const readFirst = async () => Buffer.concat(await this.#piece(entry, from, firstBytes));
    const first =
      from === 0 && firstBytes === SLICE_BYTES
        ? await this.#inTurn(this.#starts, entry, reader, readFirst)
        : await this.#reads.run(placeOf(reader), STORAGE_WAIT_MS, readFirst);
    const read = (at: number, count: number) =>
      this.#reads.run(placeOf(reader), STORAGE_WAIT_BEGUN_MS, () => this.#piece(entry, at, count));
    const isMemoryTight = () => reader.connection.writes.isTight(reader.connection);
    return new FileSlices(first, { from, bytes, read, isMemoryTight });
  }

  /** Reads from the storage that are under way. */
  get activeReads(): number {
    return this.#reads.active;
  }

  /** Out of memory at once; what has to be read waits for its turn, also where somebody else reads it already. */
  #inTurn(
    cache: LruCache<Buffer>,
    { sha256 }: SiteEntry,
    reader: Reader,
    read: () => Promise<Buffer>,
  ): Promise<Buffer> {
    const kept = cache.kept(reader.site, sha256);
    if (kept !== undefined) return Promise.resolve(kept);
    return this.#reads.run(placeOf(reader), STORAGE_WAIT_MS, () => cache.get(reader.site, sha256, read));
  }

  async #read({ sha256, bytes }: SiteEntry): Promise<Buffer> {
    return Buffer.concat(await readInTime(() => this.storage.read(contentKey(sha256)), bytes));
  }

  #piece({ sha256 }: SiteEntry, from: number, bytes: number): Promise<readonly Buffer[]> {
    const span = { first: from, last: from + bytes - 1 };
    return readInTime(() => this.storage.read(contentKey(sha256), span), bytes);
  }
}

/** Everything a stream brings; what takes too long is not read on. @throws Error when that is not as many bytes as expected */
async function readInTime(open: () => Promise<Readable>, bytes: number): Promise<readonly Buffer[]> {
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
    if (left !== 0) throw new Error(`a stored file has not the ${bytes} bytes that it should have`);
    return chunks;
  };
  return withTimeout(read(), LOOK_UP_LIMIT_MS, 'reading a deployed file').finally(() => reading.abort());
}

function placeOf({ connection, site }: Reader): Place {
  return { connection, addressGroup: connection.addressGroup, site };
}
