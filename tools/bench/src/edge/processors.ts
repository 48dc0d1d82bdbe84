import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** The server runs on one processor, everything else on another, so that they do not compete. */
export const SERVER_PROCESSOR = '0';
const DRIVER_PROCESSOR = availableParallelism() > 1 ? '1' : '0';

/** The command that runs another on a processor. */
export function on(processor: string, command: readonly string[]): readonly [string, readonly string[]] {
  return ['taskset', ['--cpu-list', processor, ...command]];
}

/** Moves this process and its later children to the driver's processor. */
export function moveToDriverProcessor(): void {
  const args = ['--all-tasks', '--cpu-list', '--pid', DRIVER_PROCESSOR, String(process.pid)];
  const { status, stderr } = spawnSync('taskset', args, { encoding: 'utf8', timeout: 5_000 });
  if (status !== 0) throw new Error(`taskset failed: ${stderr}`);
}

/** Memory of a process and its children in MB; each shared page counts once (PSS). */
export function memoryMb(pid: number): number {
  const children = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .filter((entry) => parentOf(entry) === pid);
  const kilobytes = Number(/^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
  return children.reduce((sum, child) => sum + memoryMb(Number(child)), kilobytes / 1_024);
}

function parentOf(pid: string): number {
  return Number(/^PPid:\s+(\d+)/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0);
}

/** Empty for a process that has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
