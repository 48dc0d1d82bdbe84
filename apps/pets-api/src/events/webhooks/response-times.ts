/**
 * Response times as a histogram with fixed buckets, so that counts of any time can be added up. A bucket ends a tenth
 * above the one before, so a quantile is right to about 5 percent.
 */

const RATIO = 1.1;

/** The first ends at 1 ms; the last has everything over 22 s, which is more than an attempt may take. */
export const RESPONSE_TIME_BUCKETS = 107;

/** Position of a time in a histogram, from 0. */
export function bucketOf(durationMs: number): number {
  if (durationMs <= 1) return 0;
  return Math.min(Math.ceil(Math.log(durationMs) / Math.log(RATIO)), RESPONSE_TIME_BUCKETS - 1);
}

/** @param share from 0 to 1. @returns the time in ms that this share of all took at most; null of an empty histogram */
export function quantileOf(histogram: readonly number[], share: number): number | null {
  const total = histogram.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = Math.max(1, Math.ceil(total * share));
  let seen = 0;
  const bucket = histogram.findIndex((count) => (seen += count) >= rank);
  // The middle of the bucket, in its own scale.
  return Math.round(RATIO ** Math.max(0, bucket - 0.5));
}
