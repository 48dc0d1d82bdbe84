import { PendingWrite, type PendingWrites, type SendingConnection, type SendingReply } from './pending-writes.js';

/** The writes of one reply, one at a time. `PendingWrites` counts each of them until the client has taken it. */
export class ReplyWrites {
  readonly #all: PendingWrites;
  readonly #write: PendingWrite;
  #isWriting = false;
  #onSettled: ((error: Error | undefined) => void) | undefined;

  /** @param reply is ended when its client takes too little of it */
  constructor(connection: SendingConnection & { readonly writes: PendingWrites }, reply: SendingReply) {
    this.#all = connection.writes;
    this.#write = new PendingWrite(connection, reply);
  }

  /** The time that the client saved with earlier writes. */
  get creditMs(): number {
    return this.#write.creditMs;
  }

  /**
   * Counts a write that is about to start.
   * @param readAheadBytes additional memory that the reply holds
   * @returns false when there is no memory for it
   */
  beginReplyWrite(bytes: number, readAheadBytes = 0): boolean {
    this.#isWriting = this.#all.beginWrite(this.#write, bytes, readAheadBytes);
    return this.#isWriting;
  }

  /** Resolves when the client has taken the current write. @throws the error that ended the write */
  untilSettled(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onSettled = (error) => (error === undefined ? resolve() : reject(error));
    });
  }

  /**
   * Reports that the client has taken the current write, or never will.
   * @returns false when that was reported before
   */
  settle(error?: Error): boolean {
    if (!this.#isWriting) return false;
    this.#isWriting = false;
    if (error === undefined) this.#all.complete(this.#write);
    else this.#all.drop(this.#write);
    const onSettled = this.#onSettled;
    this.#onSettled = undefined;
    onSettled?.(error);
    return true;
  }

  /** Stops counting a write that could not start. */
  cancel(): void {
    this.#isWriting = false;
    this.#all.drop(this.#write);
  }
}
