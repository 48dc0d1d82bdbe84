/** What happens less often than this for an operation happens in the background, whatever the operation. */
const LEAST_SHARE = 0.8;

/** How much of several kinds of things one operation causes: of those that are frequent enough to belong to it. */
export function sumOfFrequent(counts: readonly number[], operations: number): number {
  return counts
    .map((count) => count / operations)
    .filter((share) => share >= LEAST_SHARE)
    .reduce((sum, share) => sum + share, 0);
}
