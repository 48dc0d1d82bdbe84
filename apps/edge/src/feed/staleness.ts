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
