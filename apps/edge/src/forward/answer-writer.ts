import type { Exchange } from '../http/exchange.js';
import { nextSliceBytes } from '../sending/minimum-rate.js';
import type { ReplyWrites } from '../sending/reply-writes.js';

/** Bytes that an application may be ahead of its visitor. Beyond it, nothing is read from the application. */
const READ_AHEAD_BYTES = 64 * 1024;

type OnTaken = (error?: Error | null) => void;

/** Takes an answer: the visitor of a request, or the socket of a WebSocket. */
export interface AnswerTarget {
  /** @param onTaken called when the visitor, or its kernel, has taken the bytes or never will */
  writeAnswer(bytes: Buffer, onTaken: OnTaken): void;
  /** Writes the last bytes, if there are any, and ends. `onTaken` need not be called where the end of the exchange says the same. */
  endAnswer(last: Buffer | undefined, onTaken: OnTaken): void;
  /** Called at the end of the tick when no byte of the body has come. */
  flushAnswer(): void;
  /** Called when the visitor has taken enough that the application may send more. */
  onDrain(): void;
  /** Called when there is no memory for more, or the visitor cannot be written to. */
  onBroken(): void;
}

const stopped = new Error('stopped');

/**
 * Writes what an application sends in slices, each when the visitor has taken the one before, and counts them as all replies are
 * counted (`sending/pending-writes.ts`): a visitor that does not take what is here is disconnected, and one for whom there is nothing
 * is not. What comes in one tick leaves together, and with the end if that comes too.
 */
export class AnswerWriter {
  readonly #exchange: Exchange;
  readonly #writes: ReplyWrites;
  readonly #target: AnswerTarget;
  #queue: Buffer[] = [];
  #queuedBytes = 0;
  #isFlushing = false;
  #isWriting = false;
  #isFull = false;
  #isEnding = false;
  #hasFailed = false;

  constructor(exchange: Exchange, target: AnswerTarget) {
    this.#exchange = exchange;
    this.#writes = exchange.writes;
    this.#target = target;
    this.#flushLater();
  }

  /** @returns false when the application has to wait for `onDrain` */
  push(chunk: Buffer): boolean {
    if (this.#queue.length === 0) this.#queue = [chunk];
    else this.#queue.push(chunk);
    this.#queuedBytes += chunk.length;
    if (!this.#isWriting) this.#flushLater();
    this.#isFull = this.#queuedBytes > READ_AHEAD_BYTES;
    return !this.#isFull;
  }

  end(): void {
    this.#isEnding = true;
    if (this.#hasFailed) return;
    if (this.#queue.length === 0) this.#target.endAnswer(undefined, this.#onTaken);
    else if (!this.#isWriting) this.#writeNext();
  }

  /** Stops counting: the visitor has left, or gets nothing more. */
  stop(): void {
    this.#hasFailed = true;
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#writes.settle(stopped);
  }

  #flushLater(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    process.nextTick(flush, this);
  }

  flush(): void {
    this.#isFlushing = false;
    if (this.#isWriting || this.#hasFailed) return;
    if (this.#queue.length > 0) this.#writeNext();
    else if (!this.#isEnding) this.#target.flushAnswer();
  }

  #writeNext(): void {
    const slice = this.#takeSlice();
    if (slice === undefined || this.#hasFailed) return;
    if (!this.#writes.beginReplyWrite(slice.length, this.#queuedBytes)) return this.#fail();
    this.#isWriting = true;
    if (this.#isEnding && this.#queue.length === 0) this.#target.endAnswer(slice, this.#onTaken);
    else this.#target.writeAnswer(slice, this.#onTaken);
  }

  readonly #onTaken: OnTaken = (error) => {
    if (!this.#writes.settle(error ?? undefined)) return;
    this.#isWriting = false;
    if (error) return this.#fail();
    if (this.#queue.length > 0) this.#writeNext();
    if (!this.#isFull || this.#queuedBytes > READ_AHEAD_BYTES / 2) return;
    this.#isFull = false;
    this.#target.onDrain();
  };

  /** Takes as much as the visitor has time for; small chunks together. */
  #takeSlice(): Buffer | undefined {
    const [first] = this.#queue;
    if (first === undefined) return undefined;
    const most = this.#sliceBytes();
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

  /**
   * A stream of HTTP/2 may wait for its window, so that only completed slices are progress. Of a connection of HTTP/1 the kernel
   * tells how much the visitor takes (`tcp-send-queues.ts`): everything leaves at once.
   */
  #sliceBytes(): number {
    return this.#exchange.protocol === 'http/2' ? nextSliceBytes(this.#writes.creditMs) : READ_AHEAD_BYTES;
  }

  #takeFrom(chunk: Buffer, most: number): Buffer {
    const part = chunk.length <= most ? chunk : chunk.subarray(0, most);
    if (part === chunk) this.#queue.shift();
    else this.#queue[0] = chunk.subarray(most);
    this.#queuedBytes -= part.length;
    return part;
  }

  #fail(): void {
    if (this.#hasFailed) return;
    this.stop();
    this.#target.onBroken();
  }
}

/** One function for all: no closure for each answer. */
function flush(writer: AnswerWriter): void {
  writer.flush();
}
