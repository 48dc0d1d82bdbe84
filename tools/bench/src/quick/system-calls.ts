import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { isInstalled, waitUntil } from '@pets/testing/processes';
import type { Reading } from './reading.js';

/** A count that needs strace, which a machine may lack or not allow. */
export async function traced(name: string, measure: () => Promise<number>): Promise<Reading> {
  if (!isInstalled('strace')) {
    const reason = 'strace is not installed: "node tools/setup.mjs bench" does that on Debian';
    return { kind: 'unmeasured', name, reason };
  }
  try {
    return { kind: 'count', name, value: await measure() };
  } catch (error) {
    return { kind: 'unmeasured', name, reason: error instanceof Error ? error.message : String(error) };
  }
}

/** The command that runs another one and writes down the files that it and its children open. */
export function tracingOpens(file: string, command: readonly string[]): readonly string[] {
  return ['strace', '-f', '--seccomp-bpf', '-qq', '-e', 'trace=open,openat,openat2', '-o', file, ...command];
}

/** The files in what `tracingOpens` wrote, as often as they were opened, without those that are views of the kernel. */
export function countOpens(trace: string): number {
  const opens = trace.split('\n').filter((line) => opened.test(line) && !line.includes(' = -1 '));
  return opens.length;
}

const opened = /open(?:at2?)?\((?:\w+, )?"(?!\/(?:proc|sys|dev)\/)/;

/**
 * Counts the system calls of a running process, of all its threads, while it does a number of equal operations.
 * @returns for one operation, without calls that are too rare to belong to each
 */
export async function countSystemCalls(
  { pid, operations, file }: { readonly pid: number; readonly operations: number; readonly file: string },
  work: () => Promise<void>,
): Promise<number> {
  const strace = spawn('strace', ['-f', '-c', '-o', file, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  strace.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const exited = once(strace, 'exit');
  await waitUntil(() => / attached/.test(said) || strace.exitCode !== null, { message: 'strace to attach' });
  if (strace.exitCode !== null) throw new Error(`strace cannot attach: ${said.trim()}`);
  await work();
  strace.kill('SIGINT');
  await exited;
  return sumOfFrequent([...(await readCalls(file)).values()], operations);
}

async function readCalls(file: string): Promise<ReadonlyMap<string, number>> {
  const calls = parseCalls(await readFile(file, 'utf8'));
  if (calls.size === 0) throw new Error('strace counted nothing');
  return calls;
}

/** Calls by name, from the table of `strace -c`. */
export function parseCalls(table: string): ReadonlyMap<string, number> {
  const rows = table.matchAll(/^ *[\d.]+ +[\d.]+ +\d+ +(?<calls>\d+) +(?:\d+ +)?(?<name>\w+)$/gm);
  const calls = [...rows].map(({ groups }) => [groups?.['name'] ?? '', Number(groups?.['calls'])] as const);
  return new Map(calls.filter(([name]) => name !== 'total'));
}

/** Work that happens less often than this for an operation happens in the background, whatever the operation. */
const LEAST_SHARE = 0.8;

/** How much of several kinds of things one operation causes: of those that are frequent enough to belong to it. */
export function sumOfFrequent(counts: readonly number[], operations: number): number {
  return counts
    .map((count) => count / operations)
    .filter((share) => share >= LEAST_SHARE)
    .reduce((sum, share) => sum + share, 0);
}
