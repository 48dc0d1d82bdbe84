import type { EdgeSnapshotReference } from '@pets/contracts';
import type { FileStorage } from '@pets/platform';
import { loadTable, type NewTable } from '../store/load-table.js';
import { scanTable } from '../store/scan-table.js';
import { loadSnapshot } from './snapshot-loader.js';

/**
 * The work on all rows of a table. It leaves garbage in memory, which a process keeps: after a million routes the feed process
 * had 195 MB instead of 70 MB. In production each task therefore has a process of its own (`workInProcesses`).
 */
export interface TableWork {
  /**
   * Writes a snapshot into a new table file, durable when it resolves.
   * @throws Error when the snapshot or the file is not usable, and after an abort; the file is then incomplete
   */
  load(reference: EdgeSnapshotReference, table: NewTable, signal: AbortSignal): Promise<void>;
  /**
   * Compares the checksums of all rows of a table file.
   * @throws StoreDamagedError at the first damage, and the reason of the signal after an abort
   */
  scan(path: string, signal: AbortSignal): Promise<void>;
}

/** In this process. */
export function workHere(storage: FileStorage): TableWork {
  return {
    load: (reference, table, signal) => loadSnapshotTable(storage, reference, table, signal),
    scan: scanTable,
  };
}

export async function loadSnapshotTable(
  storage: FileStorage,
  reference: EdgeSnapshotReference,
  table: NewTable,
  signal: AbortSignal,
): Promise<void> {
  const { position, rows } = await loadSnapshot(storage, reference, signal);
  await loadTable(table, position, rows, signal);
}
