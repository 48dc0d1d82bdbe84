import { fork } from 'node:child_process';
import type { EdgeSnapshotReference } from '@pets/contracts/edge-feed';
import type { NewTable } from '../store/load-table.js';
import { StoreDamagedError } from '../store/store-damaged-error.js';
import type { TableWork } from './table-work.js';

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
