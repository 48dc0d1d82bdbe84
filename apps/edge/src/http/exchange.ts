import type { Protocol } from '../metrics/edge-metrics.js';
import { nextSliceBytes, SLICE_BYTES } from '../sending/minimum-rate.js';
import { PendingWrite } from '../sending/pending-writes.js';
import type { Connection } from '../tls/connection.js';
import { BodySlices, type SliceSource } from './slices.js';

export type Headers = Readonly<Record<string, string>>;

/** Names and values in turns, the form that Node copies from with the least work. */
export type HeaderList = readonly string[];

/** The headers of a request that are heard, besides the name of the host. */
export type SupportedHeader = 'accept-encoding' | 'if-match' | 'if-none-match' | 'if-range' | 'range' | 'user-agent';

export const NOTHING = Buffer.alloc(0);

/**
 * A request and the way to answer it, whichever protocol it came by. A short answer leaves whole: head and body are handed
 * over in one turn, so that they share a write and a TLS record. A longer one leaves in slices, each when the client has
 * taken the one before, so that a slow client holds no more than one in memory.
 */
export abstract class Exchange {
  abstract readonly protocol: Protocol;
  abstract readonly connection: Connection;
  abstract readonly method: string;
  /** As on the wire. */
  abstract readonly target: string;
  /** Each Host header or `:authority`. */
  abstract readonly hosts: readonly string[];
  /** Whether a body is to follow, which nothing here reads. */
  abstract readonly announcesBody: boolean;
  /** Whether nobody is there to be answered any more. */
  abstract readonly isGone: boolean;
  /** A body up to here is sent in one write. */
  protected readonly longestWrite: number = SLICE_BYTES;
  #status = 0;
  #bytes = 0;
  #besides: Headers | undefined;
  #write: PendingWrite | undefined;
  #isWriting = false;
  #afterSlice: ((error: Error | undefined) => void) | undefined;

  abstract header(name: SupportedHeader): string | undefined;
  /** Whatever comes after this request on its connection is not looked at. */
  abstract endConnection(): void;
  /** Ends without an answer, or in the middle of one: the client sees that bytes are missing. */
  abstract breakOff(): void;
  /** Ends without an answer, so that the client may ask again. */
  abstract refuse(): void;
  /**
   * Tells once when the answer has ended, one way or another, and whether all of it was sent. To be asked in the turn in which
   * the request has come, after what is answered at once.
   */
  abstract whenEnded(listener: (isComplete: boolean) => void): void;
  /** Begins an answer, and ends it where nothing follows; then `onWritten`. @param headers the same list again and again, where the answer is */
  protected abstract sendFirst(status: number, headers: HeaderList, slice: Buffer, isLast: boolean): void;
  /** Goes on with it; then `onWritten`. */
  protected abstract sendNext(slice: Buffer, isLast: boolean): void;

  /** 0 until an answer has begun. */
  get status(): number {
    return this.#status;
  }

  /** Of the answer's body, as promised to the client. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Headers that go with whatever is answered. */
  addHeaders(headers: Headers): void {
    this.#besides = { ...this.#besides, ...headers };
  }

  /** Answers at once. HEAD gets the headers of GET, which say the body's length where there is one. */
  reply(status: number, headers: Headers | HeaderList, body: Buffer): void {
    const sent = this.method === 'HEAD' ? NOTHING : body;
    if (sent.length > this.longestWrite) {
      this.replyFrom(status, headers, new BodySlices(sent), sent.length).catch(() => this.breakOff());
      return;
    }
    if (!this.#beginWrite(sent.length)) return this.refuse();
    this.#sendFirst(status, headers, sent, true);
    this.#begin(status, sent.length);
  }

  /**
   * Sends slices as fast as the client takes them.
   * @param bytes how many there are, as the headers promise
   * @throws Error when it broke off, on either side, or there was another number of bytes: the end of a body that is too
   * short would leave the client waiting on the connection
   */
  async replyFrom(status: number, headers: Headers | HeaderList, source: SliceSource, bytes: number): Promise<void> {
    this.#begin(status, bytes);
    for (let left = bytes; left > 0;) {
      const slice = await source.next(nextSliceBytes(this.#write?.creditMs ?? 0));
      if (slice === undefined || slice.length > left)
        throw new Error(`a file has not the ${bytes} bytes that it should have`);
      if (this.isGone) throw new Error('the client has gone');
      const isFirst = left === bytes;
      left -= slice.length;
      if (!this.#beginWrite(slice.length, source.heldBytes)) {
        if (isFirst) return this.refuse();
        throw new Error('there is no room for more');
      }
      const written = this.#untilWritten();
      if (isFirst) this.#sendFirst(status, headers, slice, left === 0);
      else this.sendNext(slice, left === 0);
      await written;
    }
  }

  /** Of a write: the client has taken it, or will not. Said more often than once, the first time counts. */
  protected readonly onWritten = (error?: Error | null): void => {
    if (!this.#isWriting) return;
    this.#isWriting = false;
    const failure = error ?? undefined;
    if (this.#write !== undefined) {
      const { writes } = this.connection;
      if (failure === undefined) writes.complete(this.#write);
      else writes.drop(this.#write);
    }
    const next = this.#afterSlice;
    this.#afterSlice = undefined;
    next?.(failure);
    this.afterWrite(failure === undefined);
  };

  /** What is to be done then. */
  protected abstract afterWrite(isTaken: boolean): void;

  /** Ends a reply whose client takes too little of it. */
  protected endStalled(): void {
    this.breakOff();
  }

  #sendFirst(status: number, headers: Headers | HeaderList, slice: Buffer, isLast: boolean): void {
    try {
      this.sendFirst(status, this.#complete(headers), slice, isLast);
    } catch (error) {
      this.#isWriting = false; // nothing was written, and something else may be
      if (this.#write !== undefined) this.connection.writes.drop(this.#write);
      throw error;
    }
  }

  #beginWrite(bytes: number, readAhead?: number): boolean {
    this.#write ??= new PendingWrite(this.connection, () => this.endStalled());
    this.#isWriting = this.connection.writes.begin(this.#write, bytes, readAhead);
    return this.#isWriting;
  }

  #untilWritten(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#afterSlice = (error) => (error === undefined ? resolve() : reject(error));
    });
  }

  #begin(status: number, bytes: number): void {
    this.#status = status;
    this.#bytes = bytes;
  }

  #complete(headers: Headers | HeaderList): HeaderList {
    return this.#besides === undefined ? listOf(headers) : [...listOf(headers), ...listOf(this.#besides)];
  }
}

export function listOf(headers: Headers | HeaderList): HeaderList {
  return isList(headers) ? headers : Object.entries(headers).flat();
}

function isList(headers: Headers | HeaderList): headers is HeaderList {
  return Array.isArray(headers);
}
