import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '@pets/testing/processes';
import { run, type Program } from '../programs.js';

/** A disk of 32 MiB at a folder, which only processes that are started `on` it see there. */
export interface SmallDisk {
  /** The folder's content, as this process sees it. */
  readonly folder: string;
  on(program: Program): Program;
  fill(): Promise<void>;
  /** Deletes what `fill` has written. */
  free(): Promise<void>;
  stop(): Promise<void>;
}

const SIZE = '32m';
const MIB = Buffer.alloc(1024 ** 2, 1);

/** Needs no privileges where users may have namespaces of their own. @throws Error where they may not */
export async function mountSmallDisk(path: string): Promise<SmallDisk> {
  await mkdir(path, { recursive: true });
  const lines: string[] = [];
  const script = 'mount -t tmpfs -o "size=$1" none "$2" && echo mounted && exec sleep infinity';
  // The disk exists for as long as this process.
  const keeper = run({
    name: 'small disk',
    command: 'unshare',
    args: ['-rm', 'sh', '-c', script, 'sh', SIZE, path],
    onLine: (line) => lines.push(line),
  });
  await waitUntil(() => lines.includes('mounted'), { timeoutMs: 5_000, message: 'unshare to mount a small disk' });
  const folder = join('/proc', String(keeper.pid), 'root', path);
  const filler = join(folder, 'filler');
  return {
    folder,
    on: (program) => ({
      ...program,
      command: 'nsenter',
      args: ['-t', String(keeper.pid), '-U', '-m', '--preserve-credentials', program.command, ...program.args],
    }),
    fill: () => writeUntilFull(filler),
    free: () => rm(filler, { force: true }),
    stop: () => keeper.stop(),
  };
}

async function writeUntilFull(path: string): Promise<void> {
  const file = await open(path, 'a');
  try {
    for (;;) await file.write(MIB); // it writes a part where not all fits
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    await file.close();
  }
}
