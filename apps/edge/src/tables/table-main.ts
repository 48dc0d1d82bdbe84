/** A table process: does one task on a table file, answers and exits (`table-work.ts`). */
import { openFileStorage } from '@pets/platform';
import { scanTable } from '../store/load-table.js';
import { StoreDamagedError } from '../store/store-damaged-error.js';
import { loadSnapshotTable, type TableResult, type TableTask } from './table-work.js';

// The feed process has the answer, or has ended. Then its successor may be writing the same file.
process.on('disconnect', () => process.exit());
process.once('message', (task: TableTask) => {
  void perform(task).then(
    () => send({ kind: 'done' }),
    (error: unknown) =>
      send(error instanceof StoreDamagedError ? { kind: 'damaged', reason: error.message } : { kind: 'failed', error }),
  );
});

/** The feed process kills this one to abort the task. */
const never = new AbortController().signal;

async function perform(task: TableTask): Promise<void> {
  if (task.kind === 'scan') return scanTable(task.path, never);
  await loadSnapshotTable(await openFileStorage(task.storageUrl), task.reference, task.table, never);
}

function send(result: TableResult): void {
  process.send?.(result);
}
