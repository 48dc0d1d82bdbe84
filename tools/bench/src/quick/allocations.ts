import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { waitUntil } from '@pets/dev-stack';

/** Loads the probe into a process and those that it forks: the value of NODE_OPTIONS. */
export function heapProbe(folder: string): string {
  const probe = new URL('heap-probe-main.js', import.meta.url);
  probe.searchParams.set('folder', folder);
  return `--import=${probe.href}`;
}

/** Bytes that a process with the probe puts on its heap during some work. */
export async function countAllocated(pid: number, folder: string, work: () => Promise<void>): Promise<number> {
  await mkdir(folder, { recursive: true });
  await signalProbe(pid, folder);
  await work();
  return Number(await signalProbe(pid, folder));
}

async function signalProbe(pid: number, folder: string): Promise<string> {
  const path = join(folder, String(pid));
  await rm(path, { force: true });
  process.kill(pid, 'SIGUSR2');
  return waitUntil(() => readFile(path, 'utf8'), { message: 'the probe to answer', intervalMs: 5 });
}
