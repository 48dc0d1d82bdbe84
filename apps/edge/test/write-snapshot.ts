import type { EdgeSnapshotReference } from '@pets/contracts';
import type { FileStorage } from '@pets/platform';
import { writeEdgeSnapshot, type EdgeSnapshotContent } from '@pets/testing';

const HOSTS_PER_CHUNK = 100;

/** Writes a snapshot in small chunks. @param damage changes a file after its hash was taken */
export function writeSnapshot(
  storage: FileStorage,
  content: EdgeSnapshotContent,
  damage?: (key: string, content: Buffer) => Buffer,
): Promise<EdgeSnapshotReference> {
  return writeEdgeSnapshot(storage, content, { hostsPerChunk: HOSTS_PER_CHUNK, damage });
}
