/**
 * How long an edge may serve without hearing from the API. The API counts an edge as pending for a removal until as
 * long after the last acknowledgement it received; since the edge counts from the moment it *sent* that one, it always
 * stops first. All moments are milliseconds since the epoch, because the clock must outlive a restart.
 */

/** Heartbeats need a little time to arrive, so that 0 configured seconds mean this long. */
const MIN_LEASE_MS = 5_000;

/** How often an edge that has nothing new tells that it lives. */
const ACK_INTERVAL_MS = 5_000;

/** Clocks are slewed a little; a contact further in the future means that the clock was set back. */
const CLOCK_TOLERANCE_MS = 1_000;

export function leaseMs(maxStalenessSeconds: number): number {
  return Math.max(maxStalenessSeconds * 1_000, MIN_LEASE_MS);
}

/** Short leases are renewed more often, so that one lost heartbeat does not end them. */
export function ackIntervalMs(lease: number): number {
  return Math.min(ACK_INTERVAL_MS, lease / 2.5);
}

/** Whether what was known at `contactAtMs` may still be served. A contact in the future proves nothing. */
export function mayServe(contactAtMs: number | undefined, nowMs: number, lease: number): boolean {
  if (contactAtMs === undefined) return false;
  const age = nowMs - contactAtMs;
  return age >= -CLOCK_TOLERANCE_MS && age < lease;
}
