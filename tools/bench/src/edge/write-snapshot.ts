import type { EdgeRoute, EdgeSnapshotReference } from '@pets/contracts';
import { writeEdgeSnapshot } from '@pets/dev-stack';
import type { FileStorage } from '@pets/platform';

/** The version of every table at first. */
export const VERSION = 1;

/** Writes the snapshot of a table in its first version. */
export function writeFirstSnapshot(
  storage: FileStorage,
  epoch: string,
  routes: Iterable<readonly [host: string, route: EdgeRoute]>,
): Promise<EdgeSnapshotReference> {
  const position = { epoch, version: VERSION, thumbprint: null };
  return writeEdgeSnapshot(storage, { ...position, rows: rowsOf(routes) });
}

function* rowsOf(routes: Iterable<readonly [string, EdgeRoute]>) {
  for (const [host, route] of routes) yield { host, version: VERSION, route };
}
