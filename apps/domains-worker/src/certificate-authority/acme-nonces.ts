/** CAs invalidate nonces after some time or a restart. An invalid one costs a round trip. */
const MAX_AGE_MS = 120_000;
/** Each active job leaves one behind. */
const MAX_NONCES = 100;

/** Unused nonces from responses (RFC 8555 §6.5). The newest is used first. */
export class AcmeNonces {
  readonly #unused: { readonly nonce: string; readonly addedAtMs: number }[] = [];

  readonly #nowMs: () => number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  put(nonce: string): void {
    this.#unused.push({ nonce, addedAtMs: this.#nowMs() });
    if (this.#unused.length > MAX_NONCES) this.#unused.shift();
  }

  /** Undefined when there is none: request one from the CA. */
  take(): string | undefined {
    const newest = this.#unused.pop();
    if (newest !== undefined && this.#nowMs() - newest.addedAtMs < MAX_AGE_MS) return newest.nonce;
    this.clear();
    return undefined;
  }

  /** After a refused nonce, older ones may be invalid for the same reason. */
  clear(): void {
    this.#unused.length = 0;
  }
}
