/** A visitor must send at least so much in the time below, as it must take of a reply (`sending/minimum-rate.ts`). */
const BYTES = 16 * 1024;
const LIMIT_MS = 10_000;

const BYTES_PER_MS = BYTES / LIMIT_MS;

/**
 * How slowly a visitor may send a body. Only the time counts in which the edge waits for the visitor: while the application does
 * not take what has been sent, nothing is asked for.
 */
export class BodyProgress {
  /** Time that the visitor still has; every byte earns some. */
  #creditMs = LIMIT_MS;
  #waitingSinceMs: number | undefined;

  get isWaiting(): boolean {
    return this.#waitingSinceMs !== undefined;
  }

  /** The edge asks for more from now on. */
  wait(nowMs: number): void {
    this.#waitingSinceMs ??= nowMs;
  }

  /** The edge asks for nothing more for now. */
  pause(nowMs: number): void {
    this.#settle(nowMs);
    this.#waitingSinceMs = undefined;
  }

  received(bytes: number, nowMs: number): void {
    this.#settle(nowMs);
    this.#creditMs = Math.min(LIMIT_MS, this.#creditMs + bytes / BYTES_PER_MS);
  }

  isStalled(nowMs: number): boolean {
    return this.#waitingSinceMs !== undefined && nowMs - this.#waitingSinceMs > this.#creditMs;
  }

  #settle(nowMs: number): void {
    if (this.#waitingSinceMs === undefined) return;
    this.#creditMs = Math.max(0, this.#creditMs - (nowMs - this.#waitingSinceMs));
    this.#waitingSinceMs = nowMs;
  }
}
