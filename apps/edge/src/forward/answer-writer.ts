import type { Exchange } from '../http/exchange.js';
import { nextSliceBytes } from '../sending/minimum-rate.js';
import { ReplyWrites } from '../sending/reply-writes.js';

/** Bytes that an application may be ahead of its visitor. Beyond it, nothing is read from the application. */
const READ_AHEAD_BYTES = 64 * 1024;

/** Takes the bytes: the visitor of a request, or the socket of a WebSocket. */
interface ByteSink {
  write(bytes: Buffer, onTaken: (error?: Error | null) => void): void;
}

export interface AnswerWriterOptions {
  readonly exchange: Exchange;
  readonly sink: ByteSink;
  /** Called when the visitor has taken enough that the application may send more. */
  readonly onDrain: () => void;
  /** Called after `end`, when everything that was pushed is written; the visitor may still have to take it. */
  readonly onEnd: () => void;
  /** Called when there is no memory for more, or the visitor cannot be written to. */
  readonly onFailed: (error: Error) => void;
}

/**
 * Writes what an application sends in slices, each when the visitor has taken the one before, and counts them as all replies are
 * counted (`sending/pending-writes.ts`): a visitor that does not take what is here is disconnected, and one for whom there is nothing
 * is not.
 */
export class AnswerWriter {
  readonly #options: AnswerWriterOptions;
  readonly #writes: ReplyWrites;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #isWriting = false;
  #isFull = false;
  #isEnding = false;
  #hasFailed = false;
  /** Bytes that were written. */
  bytes = 0;

  constructor(options: AnswerWriterOptions) {
    this.#options = options;
    this.#writes = new ReplyWrites(options.exchange.connection, options.exchange);
  }

  /** @returns false when the application has to wait for `onDrain` */
  push(chunk: Buffer): boolean {
    this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    if (!this.#isWriting) this.#writeNext();
    this.#isFull = this.#queuedBytes > READ_AHEAD_BYTES;
    return !this.#isFull;
  }

  end(): void {
    this.#isEnding = true;
    if (this.#queue.length === 0 && !this.#hasFailed) this.#options.onEnd();
  }

  /** Stops counting: the visitor has left, or gets nothing more. */
  stop(): void {
    this.#hasFailed = true;
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#writes.settle(new Error('stopped'));
  }

  #writeNext(): void {
    const slice = this.#takeSlice();
    if (slice === undefined || this.#hasFailed) return;
    if (!this.#writes.beginReplyWrite(slice.length, this.#queuedBytes))
      return this.#fail(new Error('no memory for the answer'));
    this.#isWriting = true;
    this.bytes += slice.length;
    this.#options.sink.write(slice, this.#onTaken);
    if (this.#isEnding && this.#queue.length === 0) this.#options.onEnd();
  }

  readonly #onTaken = (error?: Error | null): void => {
    if (!this.#writes.settle(error ?? undefined)) return;
    this.#isWriting = false;
    if (error) return this.#fail(error);
    if (this.#queue.length > 0) this.#writeNext();
    if (!this.#isFull || this.#queuedBytes > READ_AHEAD_BYTES / 2) return;
    this.#isFull = false;
    this.#options.onDrain();
  };

  /** Takes as much as the visitor has time for; small chunks together. */
  #takeSlice(): Buffer | undefined {
    const [first] = this.#queue;
    if (first === undefined) return undefined;
    const most = nextSliceBytes(this.#writes.creditMs);
    if (first.length >= most || this.#queue.length === 1) return this.#takeFrom(first, most);
    const parts: Buffer[] = [];
    let bytes = 0;
    for (let next: Buffer | undefined = first; next !== undefined && bytes < most; [next] = this.#queue) {
      const part = this.#takeFrom(next, most - bytes);
      parts.push(part);
      bytes += part.length;
    }
    return Buffer.concat(parts);
  }

  #takeFrom(chunk: Buffer, most: number): Buffer {
    const part = chunk.length <= most ? chunk : chunk.subarray(0, most);
    if (part === chunk) this.#queue.shift();
    else this.#queue[0] = chunk.subarray(most);
    this.#queuedBytes -= part.length;
    return part;
  }

  #fail(error: Error): void {
    if (this.#hasFailed) return;
    this.stop();
    this.#options.onFailed(error);
  }
}
