import { spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';

/** How a process group is to be ended when its owner cannot do it any more. */
type ReapableGroup = {
  readonly pid: number;
  /** From polite to firm; SIGKILL comes after the last one. */
  readonly stopSignals: readonly NodeJS.Signals[];
  readonly stopTimeoutMs: number;
  /** Lower ranks are ended first; equal ranks together. */
  readonly stopRank: number;
};

export type Reaper = {
  readonly pid: number;
  add(group: ReapableGroup): void;
  remove(pid: number): void;
  /** A file that must not outlive the owner. */
  addFile(path: string): void;
  /** A folder that is deleted when the owner is gone and all groups have ended. */
  addFolder(path: string): void;
  /** Resolves when the reaper is gone: without it nobody cleans up after us. */
  readonly exited: Promise<void>;
  /** Ends the reaper, which ends every group that was added and not removed. */
  close(): void;
};

/**
 * Starts the process that ends our children when we are killed outright: it holds the other end of a pipe, and the
 * kernel closes ours whatever we die of. It does not keep this process alive.
 */
export function startReaper(): Reaper {
  const type = extname(import.meta.filename); // tests run it from its source
  const program = join(import.meta.dirname, `reaper-main${type}`);
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
    env: {},
    cwd: '/',
  });
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  child.unref();
  child.stdin.on('error', () => undefined); // EPIPE after its end, which `exited` reports
  if (child.stdin instanceof Socket) child.stdin.unref();
  const send = (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`);
  return {
    pid: child.pid ?? 0,
    add: (group) => send({ op: 'add', ...group }),
    remove: (pid) => send({ op: 'remove', pid }),
    addFile: (path) => send({ op: 'file', path }),
    addFolder: (path) => send({ op: 'folder', path }),
    exited,
    close: () => child.stdin.end(),
  };
}

const sharedKey = Symbol.for('pets.shared-reaper');
/** Not in a variable of this module, which is loaded again for each test file. */
const shared = globalThis as { [sharedKey]?: Reaper };

/** One reaper for this whole process: what tests use, whose helpers start children here and there. */
export function sharedReaper(): Reaper {
  return (shared[sharedKey] ??= startReaper());
}

/** Makes a folder for a test, which is deleted when the process ends, if the test has not done it. */
export async function makeTemporaryFolder(prefix: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  sharedReaper().addFolder(folder);
  return folder;
}
