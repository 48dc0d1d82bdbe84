import { randomBytes } from 'node:crypto';

/** Old ones are forgotten beyond this; their holder gets badNonce and tries again, as ACME foresees. */
const KEPT = 10_000;

/** Each nonce is good for one request (RFC 8555 §6.5). */
export class Nonces {
  readonly #unused = new Set<string>();

  next(): string {
    const nonce = randomBytes(16).toString('base64url');
    this.#unused.add(nonce);
    if (this.#unused.size > KEPT) {
      const [oldest] = this.#unused;
      if (oldest !== undefined) this.#unused.delete(oldest);
    }
    return nonce;
  }

  use(nonce: string): boolean {
    return this.#unused.delete(nonce);
  }
}
