import { readFileSync } from 'node:fs';

const SHOWN_FILES = 20;
/** Clock ticks in a second: the unit in which Linux counts processor time. */
const TICKS_PER_SECOND = 100;

/**
 * Processor seconds of the children of this process that have ended, with their own children that they waited for. Servers that
 * outlive what started them are not in it. Null on a system without /proc.
 */
export function endedChildrenSeconds() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_SECOND;
  } catch {
    return null;
  }
}

/**
 * @param stages `{name, seconds, cpuSeconds}` in the order in which they ended
 * @param files `{path, seconds}` of test files
 * @returns lines: each stage, then the slowest files
 */
export function describeTimings(stages, files) {
  const cell = (seconds) => (seconds === null ? '-' : seconds.toFixed(0)).padStart(7);
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, SHOWN_FILES);
  return [
    'seconds    CPU  stage',
    ...stages.map(({ name, seconds, cpuSeconds }) => `${cell(seconds)}${cell(cpuSeconds)}  ${name}`),
    ...(slowest.length > 0 ? ['seconds         the slowest test files'] : []),
    ...slowest.map(({ path, seconds }) => `${cell(seconds)}         ${path}`),
  ];
}
