const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long after the last click DNS is polled by itself: DNS changes take up to 48 hours to spread. */
const POLLING_MS = 48 * HOUR_MS;
const FIRST_POLL_MS = 2 * SECOND_MS;
const LAST_POLL_MS = 10 * MINUTE_MS;

/**
 * The next DNS check of a domain that waits for its record, or null when polling has ended. The pause is a quarter of
 * the time waited so far: seconds at first, ten minutes at most.
 */
export function nextPoll(requestedAt: Date, now: Date): Date | null {
  const waitedMs = now.getTime() - requestedAt.getTime();
  if (waitedMs >= POLLING_MS) return null;
  return new Date(now.getTime() + Math.min(Math.max(waitedMs / 4, FIRST_POLL_MS), LAST_POLL_MS));
}

/** The shortest pause between two looks at a verified or live domain. The longest is an hour. */
const MIN_DRIFT_DELAY_MS = 45 * MINUTE_MS;

/**
 * Verified and live domains are looked at again within the hour, each after a pause of its own, so that those that were
 * verified together do not come due together.
 * @param jitter from 0 up to 1
 */
export function nextDriftCheck(jitter: number, now: Date): Date {
  return new Date(now.getTime() + MIN_DRIFT_DELAY_MS + Math.round(jitter * (HOUR_MS - MIN_DRIFT_DELAY_MS)));
}

/** The jitter of a domain, always the same: its id is random (UUID version 4), so its first digits are spread evenly. */
export function jitterOf(domainId: string): number {
  return Number.parseInt(domainId.slice(0, 8), 16) / 2 ** 32;
}

/** How long the DNS of a removed domain is watched. */
const WATCH_MS = 7 * 24 * HOUR_MS;

/** The next look at what DNS says of a removed domain: after an hour, then daily for a week; null when the watch is over. */
export function nextDanglingCheck(removedAt: Date, now: Date): Date | null {
  const waitedMs = now.getTime() - removedAt.getTime();
  const delayMs = waitedMs < HOUR_MS ? HOUR_MS : 24 * HOUR_MS;
  return waitedMs + delayMs > WATCH_MS ? null : new Date(now.getTime() + delayMs);
}

/** After the n-th failure in a row at the CA: what Let's Encrypt advises (1, 10, 100 minutes, then daily). */
const retryBackoffMs = [MINUTE_MS, 10 * MINUTE_MS, 100 * MINUTE_MS, 24 * HOUR_MS] as const;

export function nextRetry(failuresInARow: number, now: Date): Date {
  const step = retryBackoffMs[Math.min(Math.max(failuresInARow, 1), retryBackoffMs.length) - 1] ?? retryBackoffMs[3];
  return new Date(now.getTime() + step);
}

/** How often an edge that does not show a certificate is asked every minute, before that becomes every quarter of an hour. */
const FREQUENT_PROBES = 60;

/** The certificate is out, but an edge does not show it yet: soon again at first, every minute for an hour, then less often. */
export function nextProbe(failuresInARow: number, now: Date): Date {
  const delayMs =
    failuresInARow < FREQUENT_PROBES
      ? Math.min(SECOND_MS * 2 ** Math.min(failuresInARow, 6), MINUTE_MS)
      : 15 * MINUTE_MS;
  return new Date(now.getTime() + delayMs);
}

export function earlier(a: Date, b: Date | null): Date {
  return b !== null && b < a ? b : a;
}

export function later(a: Date, b: Date | null): Date {
  return b !== null && b > a ? b : a;
}
