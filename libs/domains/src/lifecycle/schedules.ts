const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long DNS is polled after the last request of the owner: DNS changes take up to 48 hours to spread. */
const POLLING_MS = 48 * HOUR_MS;
const MIN_POLL_DELAY_MS = 2 * SECOND_MS;
const MAX_POLL_DELAY_MS = 10 * MINUTE_MS;

/**
 * The next DNS check of a domain that awaits its records; null when polling has ended. The delay is a quarter of the time
 * waited so far, from two seconds to ten minutes.
 */
export function nextPoll(requestedAt: Date, now: Date): Date | null {
  const waitedMs = now.getTime() - requestedAt.getTime();
  if (waitedMs >= POLLING_MS) return null;
  return new Date(now.getTime() + Math.min(Math.max(waitedMs / 4, MIN_POLL_DELAY_MS), MAX_POLL_DELAY_MS));
}

/** The time of request of a name that nobody watches, such as one of many: it is polled with the longest delay at once. */
export function unwatchedRequestAt(now: Date): Date {
  return new Date(now.getTime() - 4 * MAX_POLL_DELAY_MS);
}

const FIRST_CHECKS_A_SECOND = 200;

/**
 * The first DNS check of a name that nobody watches. The checks of names that are added together are spread, since the
 * records do not exist yet: their values are in the answer.
 * @param names added together
 * @param share of the names before this one, from 0 to 1
 */
export function spreadFirstCheck(names: number, share: number, now: Date): Date {
  const periodMs = Math.min((names * SECOND_MS) / FIRST_CHECKS_A_SECOND, MAX_POLL_DELAY_MS);
  return new Date(now.getTime() + Math.round(share * periodMs));
}

/** The longest pauses between checks of a verified or live domain, each until a number of checks in a row changed nothing. */
const driftPauses = [
  { pauseMs: HOUR_MS, untilChecks: 24 },
  { pauseMs: 6 * HOUR_MS, untilChecks: 36 },
] as const;
const MAX_DRIFT_PAUSE_MS = 24 * HOUR_MS;

/**
 * The next DNS check of a verified or live domain: within an hour, after a day without changes within six hours, and after
 * three more days within a day. The jitter shortens the pause by up to a quarter, which spreads domains that were verified
 * together.
 * @param unchangedChecks consecutive checks that changed nothing
 * @param jitter from 0 to 1
 */
export function nextDriftCheck(unchangedChecks: number, jitter: number, now: Date): Date {
  const step = driftPauses.find(({ untilChecks }) => unchangedChecks < untilChecks);
  const pauseMs = step?.pauseMs ?? MAX_DRIFT_PAUSE_MS;
  return new Date(now.getTime() + Math.round(pauseMs * (0.75 + jitter / 4)));
}

/** How long the owner is expected to wait for the result after a request. */
const WAITING_MS = 15 * MINUTE_MS;

/** Whether the owner has recently added the domain or asked for a check, and may be waiting for the result. */
export function isRecentlyRequested(requestedAt: Date, now: Date): boolean {
  return now.getTime() - requestedAt.getTime() < WAITING_MS;
}

/** The constant jitter of a domain. Its id is random (UUID version 4), so the first digits are distributed evenly. */
export function jitterOf(domainId: string): number {
  // Parsing stops at the hyphen after the first eight digits.
  return Number.parseInt(domainId, 16) / 2 ** 32;
}

/** How long the DNS of a removed domain is checked. */
const DANGLING_CHECKS_MS = 7 * 24 * HOUR_MS;

/** The next DNS check of a removed domain: after an hour, then daily for a week; null at the end. */
export function nextDanglingCheck(removedAt: Date, now: Date): Date | null {
  const waitedMs = now.getTime() - removedAt.getTime();
  const delayMs = waitedMs < HOUR_MS ? HOUR_MS : 24 * HOUR_MS;
  return waitedMs + delayMs > DANGLING_CHECKS_MS ? null : new Date(now.getTime() + delayMs);
}

/** Delays after consecutive failures at the CA, as Let's Encrypt recommends: 1, 10, 100 minutes, then daily. */
const retryBackoffMs = [MINUTE_MS, 10 * MINUTE_MS, 100 * MINUTE_MS, 24 * HOUR_MS] as const;

/** The next attempt after a number of consecutive failures, from 1. */
export function nextRetry(failuresInARow: number, now: Date): Date {
  const step = retryBackoffMs[Math.min(Math.max(failuresInARow, 1), retryBackoffMs.length) - 1] ?? retryBackoffMs[3];
  return new Date(now.getTime() + step);
}

/** Number of probes with short delays, before the delay becomes a quarter of an hour. */
const FREQUENT_PROBES = 60;

/**
 * The next probe of edges that do not serve a certificate yet. The delay doubles from a second to a minute. After 60 probes it
 * is 15 minutes.
 */
export function nextProbe(failuresInARow: number, now: Date): Date {
  const delayMs =
    failuresInARow < FREQUENT_PROBES
      ? Math.min(SECOND_MS * 2 ** Math.min(failuresInARow, 6), MINUTE_MS)
      : 15 * MINUTE_MS;
  return new Date(now.getTime() + delayMs);
}

/** The earlier of two times; null does not count. */
export function earlier(a: Date, b: Date | null): Date {
  return new Date(Math.min(a.getTime(), (b ?? a).getTime()));
}

/** The later of two times; null does not count. */
export function later(a: Date, b: Date | null): Date {
  return new Date(Math.max(a.getTime(), (b ?? a).getTime()));
}
