/**
 * How long an edge may serve without contact with the API. The API waits for an edge to acknowledge a removal for the same
 * time after the last acknowledgement that it received. The edge counts from the time at which it *sent* that one, so it always
 * stops first. All times are milliseconds since the epoch, because they must stay valid after a restart.
 */

/** Heartbeats need some time to arrive, so a setting of 0 seconds means this time. */
const MIN_LEASE_MS = 5_000;

/** How often an edge without news sends an acknowledgement. */
const ACK_INTERVAL_MS = 5_000;

/** Tolerates small clock corrections; a contact further in the future means that the clock was set back. */
const CLOCK_TOLERANCE_MS = 1_000;

/** A clock that was set back by more is not trusted at all. */
const MAX_CLOCK_CORRECTION_MS = 5 * 60_000;

export function leaseMs(maxStalenessSeconds: number): number {
  return Math.max(maxStalenessSeconds * 1_000, MIN_LEASE_MS);
}

/** Short leases are renewed more often, so that one lost acknowledgement does not end them. */
export function ackIntervalMs(lease: number): number {
  return Math.min(ACK_INTERVAL_MS, lease / 2.5);
}

/** Whether the state of `contactAtMs` may still be served. A contact in the future proves nothing. */
export function mayServe(contactAtMs: number | undefined, nowMs: number, lease: number): boolean {
  if (contactAtMs === undefined) return false;
  const age = nowMs - contactAtMs;
  return age >= -CLOCK_TOLERANCE_MS && age < lease;
}

/** How far a contact is ahead of the clock, beyond the tolerance; 0 for one that is not. */
export function contactAheadMs(contactAtMs: number | undefined, nowMs: number): number {
  const aheadMs = (contactAtMs ?? nowMs) - nowMs;
  return aheadMs > CLOCK_TOLERANCE_MS ? aheadMs : 0;
}

/**
 * The time from which a lease counts. A contact that is ahead of the clock was made at an unknown time. Up to five minutes
 * ahead, it counts as if only the last five minutes of the lease were left, so that an edge survives a corrected clock while
 * the API is down; further ahead it proves nothing.
 * @returns undefined where nothing may be served before another contact
 */
export function countedContact(contactAtMs: number, nowMs: number, lease: number): number | undefined {
  const aheadMs = contactAheadMs(contactAtMs, nowMs);
  if (aheadMs === 0) return contactAtMs;
  return aheadMs > MAX_CLOCK_CORRECTION_MS ? undefined : nowMs - Math.max(lease - MAX_CLOCK_CORRECTION_MS, 0);
}

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
