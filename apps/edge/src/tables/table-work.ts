import { fork } from 'node:child_process';
import { stat } from 'node:fs/promises';
import type { EdgeSnapshotReference } from '@pets/contracts/edge-feed';
import type { FileStorage } from '@pets/platform';
import { loadTable, scanTable, type NewTable } from '../store/load-table.js';
import { StoreDamagedError } from '../store/store-damaged-error.js';
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

/** Sent to a table process, once. */
export type TableTask =
  | {
      readonly kind: 'load';
      readonly storageUrl: string;
      readonly reference: EdgeSnapshotReference;
      readonly table: NewTable;
    }
  | { readonly kind: 'scan'; readonly path: string };

/** Answer of a table process, which is of the same build, so that messages are not checked. */
export type TableResult =
  | { readonly kind: 'done' }
  | { readonly kind: 'damaged'; readonly reason: string }
  | { readonly kind: 'failed'; readonly error: unknown };

interface Program {
  readonly path: string;
  /** Options of Node. */
  readonly execArgv: readonly string[];
}

/** Each task in a new process, whose memory the system gets back. */
export function workInProcesses(program: Program, storageUrl: string): TableWork {
  return {
    load: (reference, table, signal) => run(program, { kind: 'load', storageUrl, reference, table }, signal),
    scan: (path, signal) => run(program, { kind: 'scan', path }, signal),
  };
}

/** Settles when the process has ended: from then on it writes nothing. */
async function run({ path, execArgv }: Program, task: TableTask, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const child = fork(path, [], {
    execArgv: [...execArgv],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced', // keeps errors
  });
  let result: TableResult | undefined;
  child.once('message', (message: TableResult) => {
    result = message;
    child.disconnect(); // then it exits
  });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, killedBy) => resolve(`ended with ${killedBy ?? code}`));
    child.on('error', (error) => {
      if (child.pid === undefined) resolve(`could not start: ${error.message}`); // after other errors it exits
    });
  });
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  child.send(task, () => undefined); // an error means that it ends
  const end = await ended;
  signal.removeEventListener('abort', kill);
  signal.throwIfAborted();
  if (result === undefined) throw new Error(`the process for the route table ${end}`);
  if (result.kind === 'damaged') throw new StoreDamagedError(result.reason);
  if (result.kind === 'failed') throw result.error;
}
