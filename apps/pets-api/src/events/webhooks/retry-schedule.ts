const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses after the first, second, … failed try: three days and a bit, as Standard Webhooks advises. */
export const retryPausesMs = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const;

/** A pause is up to so much shorter or longer, so that what failed together does not come again together. */
const JITTER = 0.1;

/** However long a receiver wants to be left alone: what it is told would be of no use later. */
const LONGEST_WAIT_MS = 24 * HOUR_MS;

/**
 * When a delivery is tried again, or null when it is not: never before the schedule, nor before the receiver wants it.
 * @param failures how often it has failed, this time included
 * @param circumstances.random from 0 up to 1
 */
export function nextTry(
  failures: number,
  { random, wantedAt, now }: { readonly random: number; readonly wantedAt: Date | null; readonly now: Date },
): Date | null {
  const pauseMs = retryPausesMs[failures - 1];
  if (pauseMs === undefined) return null;
  const jitteredMs = Math.round(pauseMs * (1 - JITTER + 2 * JITTER * random));
  const wantedMs = wantedAt === null ? 0 : Math.min(wantedAt.getTime() - now.getTime(), LONGEST_WAIT_MS);
  return new Date(now.getTime() + Math.max(jitteredMs, wantedMs));
}
