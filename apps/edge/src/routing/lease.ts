import { leaseMs, mayServe } from './staleness.js';

/** The permission to serve. Each contact that the API has committed renews it. */
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

  /** Starts a new lease. Requires that everything published up to a registration before that time is applied. */
  grant(contactAtMs: number): void {
    this.#contactAtMs = contactAtMs;
  }

  /**
   * Extends a lease that is valid when the contact arrives. After it has expired, the API may have confirmed removals without
   * this edge, so that a new registration is required.
   * @returns whether it was extended
   */
  renew(contactAtMs: number): boolean {
    if (!this.isValid() || contactAtMs <= (this.#contactAtMs ?? 0)) return false;
    this.#contactAtMs = contactAtMs;
    return true;
  }

  /** Ends the lease at once. */
  end(): void {
    this.#contactAtMs = undefined;
  }
}
