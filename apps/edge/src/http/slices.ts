import { SLICE_BYTES } from '../sending/minimum-rate.js';

/** Where the slices of an answer come from. */
export interface SliceSource {
  /** In memory for this answer alone, besides the slice that was given last. */
  readonly heldBytes: number;
  /** Up to so many bytes; undefined at the end. @throws Error when there should be more, and it cannot be had */
  next(most: number): Promise<Buffer | undefined>;
}

/** A body that others are answered with as well. */
export class BodySlices implements SliceSource {
  readonly heldBytes = 0;
  #at = 0;

  constructor(private readonly body: Buffer) {}

  next(most: number): Promise<Buffer | undefined> {
    const from = this.#at;
    this.#at = Math.min(from + most, this.body.length);
    return Promise.resolve(from === this.#at ? undefined : this.body.subarray(from, this.#at));
  }
}

/** The most that is read at a time. */
const MOST_PIECE_BYTES = 256 * 1024;
/** Who takes a piece in less gets larger ones, since each costs a request to the storage; who does not holds little. */
const QUICK_MS = 250;

/** How much of a file is to be read after a piece of which the client has taken all. */
export function nextPieceBytes(bytes: number, tookMs: number, isMemoryTight: boolean): number {
  if (isMemoryTight || tookMs > QUICK_MS) return SLICE_BYTES;
  return Math.min(2 * bytes, MOST_PIECE_BYTES);
}

export interface FileReading {
  readonly from: number;
  readonly bytes: number;
  /** In chunks as the storage brings them: a copy of all in one would be garbage of the same size. */
  readonly read: (from: number, bytes: number) => Promise<readonly Buffer[]>;
  readonly isMemoryTight: () => boolean;
}

/**
 * A file that is not kept in memory. It is read in pieces, each when the client has taken the one before, and nothing of
 * the storage is held between them: neither a descriptor nor a socket.
 */
export class FileSlices implements SliceSource {
  readonly #end: number;
  #readTo: number;
  #chunks: Buffer[];
  #pieceBytes: number;
  #heldBytes: number;
  #readAtMs = performance.now();

  /** @param first the first slice, which is known to be there */
  constructor(
    first: Buffer,
    private readonly reading: FileReading,
  ) {
    this.#chunks = [first];
    this.#pieceBytes = first.length;
    this.#heldBytes = first.length;
    this.#readTo = reading.from + first.length;
    this.#end = reading.from + reading.bytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  async next(most: number): Promise<Buffer | undefined> {
    if (this.#chunks.length === 0 && this.#readTo < this.#end) await this.#readPiece();
    const [chunk] = this.#chunks;
    if (chunk === undefined) return undefined;
    const slice = chunk.subarray(0, most);
    if (slice.length === chunk.length) this.#chunks.shift();
    else this.#chunks[0] = chunk.subarray(most);
    this.#heldBytes -= slice.length;
    return slice;
  }

  async #readPiece(): Promise<void> {
    const tookMs = performance.now() - this.#readAtMs;
    const wanted = nextPieceBytes(this.#pieceBytes, tookMs, this.reading.isMemoryTight());
    const bytes = Math.min(wanted, this.#end - this.#readTo);
    this.#chunks = [...(await this.reading.read(this.#readTo, bytes))];
    this.#readTo += bytes;
    this.#pieceBytes = bytes;
    this.#heldBytes = bytes;
    this.#readAtMs = performance.now();
  }
}
