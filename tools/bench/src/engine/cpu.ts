import { readdirSync, readFileSync } from 'node:fs';

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
  /** Of its children that have ended, which are part of its own. */
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
