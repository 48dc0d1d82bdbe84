/** CAs let a nonce lapse after some time, or with a restart. An old one would only cost a round trip. */
const KEPT_MS = 120_000;
/** Each job under way leaves one behind. */
const MAX_KEPT = 100;

/** Nonces that answers brought and no request has used yet (RFC 8555 §6.5); the youngest is used first. */
export class AcmeNonces {
  readonly #unused: { readonly nonce: string; readonly bornAt: number }[] = [];

  /** @param clock milliseconds, from any beginning */
  constructor(private readonly clock: () => number = () => performance.now()) {}

  put(nonce: string): void {
    this.#unused.push({ nonce, bornAt: this.clock() });
    if (this.#unused.length > MAX_KEPT) this.#unused.shift();
  }

  /** Undefined where none is left: the CA has to be asked for one. */
  take(): string | undefined {
    const youngest = this.#unused.pop();
    if (youngest !== undefined && this.clock() - youngest.bornAt < KEPT_MS) return youngest.nonce;
    this.clear();
    return undefined;
  }

  /** One was refused: those from before it may be void for the same reason. */
  clear(): void {
    this.#unused.length = 0;
  }
}
