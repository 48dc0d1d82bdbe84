import type { EdgeSnapshotReference } from '@pets/contracts';

/** Snapshots of all routes in the file storage, for edges that cannot continue from their version. */
export abstract class EdgeSnapshots {
  /**
   * A recent snapshot of the current epoch, at or above `edge_feed.compacted_version`. Builds one, or waits for the replica
   * that builds one, if there is none; this may take minutes.
   * @throws Error when it cannot be built; the caller tries again
   */
  abstract current(): Promise<EdgeSnapshotReference>;
}
