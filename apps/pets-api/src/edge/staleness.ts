/** An edge that must not serve without the feed stops within this time after losing it. */
const MIN_STALENESS_SECONDS = 5;

/** The time without contact after which an edge serves nothing, from `EDGE_MAX_STALENESS`. */
export function staleSeconds(maxStaleness: number): number {
  return Math.max(maxStaleness, MIN_STALENESS_SECONDS);
}
