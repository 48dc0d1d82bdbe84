import { stat } from 'node:fs/promises';
import type { EdgeSnapshotReference } from '@pets/contracts/edge-feed';
import type { FileStorage } from '@pets/platform';
import { loadTable, scanTable, type NewTable } from '../store/load-table.js';
import { loadSnapshot } from './snapshot-loader.js';

/** Three chunks of a snapshot: at most 15 000 hosts. */
const SMALL_MANIFEST_BYTES = 1_024;
/** About 15 000 hosts. */
const SMALL_TABLE_BYTES = 4 * 1024 * 1024;

/**
 * The work on all rows of a table. It leaves garbage in memory, which a process keeps: after a million routes the feed process
 * had 195 MB instead of 70 MB. In production the work on a large table therefore has a process of its own (`workBySize`).
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

/** In this process. @param open opens the storage of snapshots, when one is loaded */
export function workHere(open: () => Promise<FileStorage>): TableWork {
  return {
    load: async (reference, table, signal) => loadSnapshotTable(await open(), reference, table, signal),
    scan: scanTable,
  };
}

/**
 * Small tables here and large ones elsewhere: to start a process takes 0.6 s of processor time, and an edge that starts would
 * do so twice.
 */
export function workBySize(here: TableWork, elsewhere: TableWork): TableWork {
  return {
    load: (reference, table, signal) =>
      (reference.manifestBytes <= SMALL_MANIFEST_BYTES ? here : elsewhere).load(reference, table, signal),
    scan: async (path, signal) => {
      const { size } = await stat(path);
      await (size <= SMALL_TABLE_BYTES ? here : elsewhere).scan(path, signal);
    },
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
