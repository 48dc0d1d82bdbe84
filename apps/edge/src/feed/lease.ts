import { countedContact, leaseMs, mayServe } from './staleness.js';

/**
 * The permission to serve. Each contact that the API has committed renews it. It ends by the clock of the machine, or when as
 * much time has passed on the monotonic clock: a clock that is set back must not make the edge serve for longer than the API
 * waits for it.
 */
export class Lease {
  readonly #now: () => number;
  readonly durationMs: number;
  #contactAtMs: number | undefined;
  /** End of the lease on the monotonic clock. */
  #endsAtMs = -Infinity;

  constructor(maxStalenessSeconds: number, now: () => number) {
    this.#now = now;
    this.durationMs = leaseMs(maxStalenessSeconds);
  }

  get contactAtMs(): number | undefined {
    return this.#contactAtMs;
  }

  /** When it ends at the latest, on the monotonic clock. */
  get endsAtMs(): number {
    return this.#endsAtMs;
  }

  isValid(): boolean {
    return performance.now() < this.#endsAtMs && mayServe(this.#contactAtMs, this.#now(), this.durationMs);
  }

  /** Starts a new lease. Requires that everything published up to a registration before that time is applied. */
  grant(contactAtMs: number): void {
    this.#contactAtMs = contactAtMs;
    this.#endsAtMs = performance.now() + this.durationMs - Math.max(this.#now() - contactAtMs, 0);
  }

  /**
   * Extends a lease that is valid when the contact arrives. After it has expired, the API may have confirmed removals without
   * this edge, so that a new registration is required.
   * @returns whether it was extended
   */
  renew(contactAtMs: number): boolean {
    if (!this.isValid() || contactAtMs <= (this.#contactAtMs ?? 0)) return false;
    this.grant(contactAtMs);
    return true;
  }

  /**
   * Counts again from a contact that the clock, set back since, shows as ahead (`countedContact`). Never prolongs the lease.
   * @returns whether the contact to count from has changed
   */
  correct(): boolean {
    const before = this.#contactAtMs;
    const counted = before === undefined ? undefined : countedContact(before, this.#now(), this.durationMs);
    if (counted === before) return false;
    const endsAtMs = this.#endsAtMs;
    if (counted === undefined) this.end();
    else this.grant(counted);
    this.#endsAtMs = Math.min(endsAtMs, this.#endsAtMs);
    return true;
  }

  /** Ends the lease at once. */
  end(): void {
    this.#contactAtMs = undefined;
  }
}
