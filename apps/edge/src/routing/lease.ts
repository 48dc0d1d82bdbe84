import { leaseMs, mayServe } from './staleness.js';

/** The permission to serve. Each contact with the API renews it. */
export class Lease {
  readonly #now: () => number;
  readonly durationMs: number;
  #contactAtMs: number | undefined;

  constructor(maxStalenessSeconds: number, now: () => number) {
    this.#now = now;
    this.durationMs = leaseMs(maxStalenessSeconds);
  }

  get contactAtMs(): number | undefined {
    return this.#contactAtMs;
  }

  isValid(): boolean {
    return mayServe(this.#contactAtMs, this.#now(), this.durationMs);
  }

  /** Starts a new lease. Requires that everything published up to a registration at that time is applied. */
  grant(contactAtMs: number): void {
    this.#contactAtMs = contactAtMs;
  }

  /**
   * Extends a lease that is valid when the response arrives. After it has expired, the API may have confirmed removals
   * without this edge, so that a new registration is required.
   */
  renew(sentAtMs: number): void {
    if (this.isValid() && sentAtMs > (this.#contactAtMs ?? 0)) this.#contactAtMs = sentAtMs;
  }
}
