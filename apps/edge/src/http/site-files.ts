import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import {
  contentKey,
  readSiteIndex,
  readWhole,
  type ByteSpan,
  type FileStorage,
  type SiteEntry,
  type SiteIndex,
} from '@pets/platform';
import { within } from '../within.js';
import type { Coding } from './accept-encoding.js';
import { BoundedCache } from './bounded-cache.js';
import { memoryBytes } from './limits.js';

const LOOK_UP_LIMIT_MS = 5_000;

/** Rough memory of an entry of a list besides its path. */
const ENTRY_BYTES = 250;

/** Half-way up: beyond it, a page costs much more time for a little less of the wire. */
const BROTLI_QUALITY = 5;

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

/**
 * The deployed files. A deployment never changes and contents are known by their hash, so whatever was read once may
 * be kept as long as there is room: nothing is ever out of date.
 */
export class SiteFiles {
  readonly #indexes = new BoundedCache<SiteIndex>(memoryBytes.indexes, bytesOfIndex);
  readonly #small = new BoundedCache<Buffer>(memoryBytes.files, ({ length }) => length);
  readonly #compressed = new BoundedCache<Buffer>(memoryBytes.compressed, ({ length }) => length);

  constructor(private readonly storage: FileStorage) {}

  /** What a deployment consists of. @throws Error when the storage cannot tell */
  index(contentHash: string): Promise<SiteIndex> {
    const read = () => within(LOOK_UP_LIMIT_MS, 'reading a list of files', readSiteIndex(this.storage, contentHash));
    return this.#indexes.get(contentHash, read);
  }

  /**
   * A file's bytes, or some of them: small ones from memory, others as a stream that is read as fast as it is taken.
   * @throws Error when the storage does not have them
   */
  async open(entry: SiteEntry, span?: ByteSpan): Promise<Buffer | Readable> {
    if (entry.bytes > memoryBytes.file) return this.#stream(entry, span);
    const whole = await this.#small.get(entry.sha256, () => this.#read(entry));
    return span === undefined ? whole : whole.subarray(span.first, span.last + 1);
  }

  /** A file's bytes, compressed once and kept. @throws Error when the storage does not have them */
  compress(entry: SiteEntry, coding: Coding): Promise<Buffer> {
    return this.#compressed.get(`${entry.sha256} ${coding}`, async () => compressors[coding](await this.#read(entry)));
  }

  #read(entry: SiteEntry): Promise<Buffer> {
    const read = async () => readWhole(await this.storage.read(contentKey(entry.sha256)), entry.bytes);
    return within(LOOK_UP_LIMIT_MS, 'reading a deployed file', read());
  }

  #stream({ sha256 }: SiteEntry, span?: ByteSpan): Promise<Readable> {
    return within(LOOK_UP_LIMIT_MS, 'opening a deployed file', this.storage.read(contentKey(sha256), span));
  }
}

function bytesOfIndex(index: SiteIndex): number {
  return [...index.keys()].reduce((sum, path) => sum + ENTRY_BYTES + path.length, 0);
}
