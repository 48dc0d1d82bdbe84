import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { isInstalled, waitUntil } from '@pets/dev-stack';
import { sumOfFrequent } from './frequent.js';

/** Why system calls cannot be counted here; null where they can. */
export function whyNotTraced(): string | null {
  return isInstalled('strace') ? null : 'strace is not installed: "node tools/setup.mjs bench" does that on Debian';
}

/** The command that runs another one and counts the files that it and its children open. */
export function countingOpens(file: string, command: readonly string[]): readonly string[] {
  return ['strace', '-f', '--seccomp-bpf', '-qq', '-c', '-e', 'trace=open,openat,openat2', '-o', file, ...command];
}

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

/** The files that a program and its children opened, which `countingOpens` has started and that has ended. */
export async function readOpens(file: string): Promise<number> {
  return [...(await readCalls(file)).values()].reduce((sum, calls) => sum + calls, 0);
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
