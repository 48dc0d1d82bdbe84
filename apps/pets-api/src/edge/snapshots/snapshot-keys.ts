/** Snapshot whose files are in the storage. */
export interface SnapshotFiles {
  /** Id of the build: two builds never share a file. */
  readonly id: string;
  readonly epoch: string;
  readonly version: number;
}

export function manifestKey(snapshot: SnapshotFiles): string {
  return `${folderOf(snapshot)}/manifest.json`;
}

/** @param index from 0 */
export function chunkKey(snapshot: SnapshotFiles, index: number): string {
  return `${folderOf(snapshot)}/${index}.zst`;
}

function folderOf({ epoch, version, id }: SnapshotFiles): string {
  return `snapshots/${epoch}/${version}/${id}`;
}
