import { EDGE_FEED_PROTOCOL, type EdgeSnapshotReference } from '@pets/contracts';
import { RequestError } from '@pets/platform';

/** @throws RequestError when this pets-api does not have the protocol that an edge asks for */
export function assertSupported(protocol: number): void {
  if (protocol === EDGE_FEED_PROTOCOL) return;
  const remedy = protocol < EDGE_FEED_PROTOCOL ? 'Update the edge.' : 'Update pets-api before the edges.';
  throw new RequestError('gone', `protocol: ${protocol} is not supported here, only ${EDGE_FEED_PROTOCOL}. ${remedy}`);
}

/** An edge that must not serve without the feed stops within this time after losing it. */
const MIN_STALENESS_SECONDS = 5;

/** The time without contact after which an edge serves nothing, from `EDGE_MAX_STALENESS`. */
export function staleSeconds(maxStaleness: number): number {
  return Math.max(maxStaleness, MIN_STALENESS_SECONDS);
}

/** Snapshots of all routes in the file storage, for edges that cannot continue from their version. */
export abstract class EdgeSnapshots {
  /**
   * A recent snapshot of the current epoch, at or above `edge_feed.compacted_version`. Builds one, or waits for the replica
   * that builds one, if there is none; this may take minutes.
   * @throws Error when it cannot be built; the caller tries again
   */
  abstract current(): Promise<EdgeSnapshotReference>;
}
