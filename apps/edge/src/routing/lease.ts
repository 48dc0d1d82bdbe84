import { leaseMs, mayServe } from './staleness.js';

/** The permission to serve, which each contact with the API renews. */
export class Lease {
  readonly durationMs: number;
  #contactAtMs: number | undefined;

  constructor(
    maxStalenessSeconds: number,
    private readonly now: () => number,
  ) {
    this.durationMs = leaseMs(maxStalenessSeconds);
  }

  get contactAtMs(): number | undefined {
    return this.#contactAtMs;
  }

  isValid(): boolean {
    return mayServe(this.#contactAtMs, this.now(), this.durationMs);
  }

  /** Starts the lease anew. Only after everything published up to a registration at that moment has been applied. */
  grant(contactAtMs: number): void {
    this.#contactAtMs = contactAtMs;
  }

  /**
   * Prolongs a lease that has not lapsed when the answer arrives. Once it has lapsed, the API may have stopped waiting
   * for this edge, and removals may have been confirmed without it: then only a new registration helps.
   */
  renew(sentAtMs: number): void {
    if (this.isValid() && sentAtMs > (this.#contactAtMs ?? 0)) this.#contactAtMs = sentAtMs;
  }
}
