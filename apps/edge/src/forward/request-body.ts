import { performance } from 'node:perf_hooks'; // the global one is a getter, which is called at each use
import { Readable } from 'node:stream';
import { BodyProgress } from './body-progress.js';

/** Bytes that are read ahead of the application. */
const READ_AHEAD_BYTES = 64 * 1024;

/**
 * The body of a request on its way to an application. It reads from the visitor only when the application's connection asks for
 * more, from the first time on. Its end or its destruction leaves the visitor's side as it is: that still gets the answer.
 */
export class RequestBody extends Readable {
  readonly progress = new BodyProgress();
  /** When the visitor sent something for the last time; undefined before. */
  receivedAtMs: number | undefined;
  /** Whether the visitor has sent all of it. */
  isComplete = false;
  readonly #source: Readable;
  #isAttached = false;

  constructor(source: Readable) {
    super({ highWaterMark: READ_AHEAD_BYTES });
    this.on('error', () => undefined); // the exchange ends when its visitor leaves
    this.#source = source;
  }

  /** Whether no byte was read from the visitor, so that the request can be repeated. */
  get isUnread(): boolean {
    return !this.#isAttached;
  }

  override _read(): void {
    if (!this.#isAttached) {
      this.#isAttached = true;
      this.#source.on('data', this.#onData).on('end', this.#onEnd).on('close', this.#onClose);
    }
    if (this.isComplete) return;
    this.progress.wait(performance.now());
    this.#source.resume();
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#source.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onClose);
    this.progress.pause(performance.now());
    callback(error);
  }

  readonly #onData = (chunk: Buffer): void => {
    const nowMs = performance.now();
    this.receivedAtMs = nowMs;
    this.progress.received(chunk.length, nowMs);
    if (this.push(chunk)) return;
    this.#source.pause();
    this.progress.pause(nowMs);
  };

  readonly #onEnd = (): void => {
    this.isComplete = true;
    this.progress.pause(performance.now());
    this.push(null);
  };

  readonly #onClose = (): void => {
    if (!this.isComplete) this.destroy(new Error('the visitor has left'));
  };
}
