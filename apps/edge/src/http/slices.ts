import { SLICE_BYTES } from '../sending/minimum-rate.js';

/** Where the slices of a response come from. */
export interface SliceSource {
  /** Memory held for this response only, besides the slice that was returned last. */
  readonly heldBytes: number;
  /** @returns at most `maxBytes`; undefined at the end. @throws Error when the rest cannot be read */
  next(maxBytes: number): Promise<Buffer | undefined>;
}

/** A body that other responses share. */
export class BodySlices implements SliceSource {
  readonly #body: Buffer;
  readonly heldBytes = 0;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  next(maxBytes: number): Promise<Buffer | undefined> {
    const from = this.#at;
    this.#at = Math.min(from + maxBytes, this.#body.length);
    return Promise.resolve(from === this.#at ? undefined : this.#body.subarray(from, this.#at));
  }
}

/** The maximum size of a read. */
const MAX_PIECE_BYTES = 256 * 1024;
/** A client that takes a piece faster gets larger ones, because each costs a storage request; a slow one holds little memory. */
const FAST_MS = 250;

/** The size of the next read, after the client has taken all of a piece. */
export function nextPieceBytes(bytes: number, tookMs: number, isMemoryTight: boolean): number {
  if (isMemoryTight || tookMs > FAST_MS) return SLICE_BYTES;
  return Math.min(2 * bytes, MAX_PIECE_BYTES);
}

export interface FileSource {
  readonly from: number;
  readonly bytes: number;
  /** In chunks as the storage returns them: joining them would copy every byte. */
  readonly read: (from: number, bytes: number) => Promise<readonly Buffer[]>;
  readonly isMemoryTight: () => boolean;
}

/**
 * A file that is not in memory. Reads it in pieces, each when the client has taken the one before, and holds no descriptor or
 * socket of the storage between them.
 */
export class FileSlices implements SliceSource {
  readonly #source: FileSource;
  readonly #end: number;
  #readTo: number;
  #chunks: Buffer[];
  #pieceBytes: number;
  #heldBytes: number;
  #readAtMs = performance.now();

  /** @param first the first slice, already read */
  constructor(first: Buffer, source: FileSource) {
    this.#source = source;
    this.#chunks = [first];
    this.#pieceBytes = first.length;
    this.#heldBytes = first.length;
    this.#readTo = source.from + first.length;
    this.#end = source.from + source.bytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  async next(maxBytes: number): Promise<Buffer | undefined> {
    if (this.#chunks.length === 0 && this.#readTo < this.#end) await this.#readPiece();
    const [chunk] = this.#chunks;
    if (chunk === undefined) return undefined;
    const slice = chunk.subarray(0, maxBytes);
    if (slice.length === chunk.length) this.#chunks.shift();
    else this.#chunks[0] = chunk.subarray(maxBytes);
    this.#heldBytes -= slice.length;
    return slice;
  }

  async #readPiece(): Promise<void> {
    const tookMs = performance.now() - this.#readAtMs;
    const wanted = nextPieceBytes(this.#pieceBytes, tookMs, this.#source.isMemoryTight());
    const bytes = Math.min(wanted, this.#end - this.#readTo);
    this.#chunks = [...(await this.#source.read(this.#readTo, bytes))];
    this.#readTo += bytes;
    this.#pieceBytes = bytes;
    this.#heldBytes = bytes;
    this.#readAtMs = performance.now();
  }
}
