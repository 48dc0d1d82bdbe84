import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';

/** Linux counts CPU time in hundredths of a second, whatever its clock does inside. */
const TICKS_A_SECOND = 100;

/**
 * CPU seconds a process and its children have used, those that have ended included. On a machine that others use too
 * it says more than the clock. Zero where there is no /proc.
 */
export function cpuSeconds(pid: number): number {
  const processes = listProcesses();
  const ticksOf = (own: number): number =>
    [...processes].reduce(
      (sum, [child, { parent }]) => (parent === own ? sum + ticksOf(child) : sum),
      processes.get(own)?.ticks ?? 0,
    );
  return ticksOf(pid) / TICKS_A_SECOND;
}

const NANOSECONDS = 1e9;

/**
 * The same to the nanosecond, for a short piece of work in which no thread ends: what an ended thread has used is not part of
 * it. Of children that have ended, the kernel tells hundredths.
 */
export function threadCpuSeconds(pid: number): number {
  const processes = listProcesses();
  return processTree(pid).reduce(
    (sum, each) => sum + secondsOfThreads(each) + (processes.get(each)?.ticksOfEnded ?? 0) / TICKS_A_SECOND,
    0,
  );
}

/** The first figure is the time on a processor (Linux, Documentation/scheduler/sched-stats.rst). */
function secondsOfThreads(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const times = threads.map(
      (thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0],
    );
    return times.reduce((sum, time) => sum + Number(time) / NANOSECONDS, 0);
  } catch {
    return 0; // it has ended since it was listed
  }
}

/** A process and all that it has started, directly or not. */
export function processTree(pid: number): readonly number[] {
  const processes = listProcesses();
  const treeOf = (own: number): readonly number[] => [
    own,
    ...[...processes].flatMap(([child, { parent }]) => (parent === own ? treeOf(child) : [])),
  ];
  return treeOf(pid);
}

interface ProcessTimes {
  readonly parent: number;
  readonly ticks: number;
  /** Ticks of its children that have ended, which are part of its own. */
  readonly ticksOfEnded: number;
}

function listProcesses(): Map<number, ProcessTimes> {
  const processes = new Map<number, ProcessTimes>();
  for (const entry of listProc()) {
    try {
      // After the name, which may hold anything: state, parent, …, and from the 12th on utime, stime, cutime, cstime.
      const fields = readFileSync(`/proc/${entry}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
        .map(Number);
      const sumOf = (from: number) => fields.slice(from, 15).reduce((sum, part) => sum + part, 0);
      processes.set(Number(entry), { parent: fields[1] ?? 0, ticks: sumOf(11), ticksOfEnded: sumOf(13) });
    } catch {
      // It has ended since the folder was read.
    }
  }
  return processes;
}

function listProc(): string[] {
  try {
    return readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  } catch {
    return [];
  }
}

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
