import { fileURLToPath } from 'node:url';
import { run } from '@pets/lab';
import { freePort, waitUntil } from '@pets/testing/processes';

/** The application that all contestants forward to, in a process of its own. */
export interface Application {
  readonly port: number;
  /** Ports that accept connections and never answer. */
  readonly hangingPorts: readonly number[];
  stop(): Promise<void>;
}

const START_LIMIT_MS = 10_000;

/** Starts it on this process's processor. */
export async function startApplication(hanging = 0): Promise<Application> {
  const port = await freePort();
  const hangingPorts: number[] = [];
  while (hangingPorts.length < hanging) hangingPorts.push(await freePort());
  const program = fileURLToPath(new URL('application-main.js', import.meta.url));
  const args = [program, ...[port, ...hangingPorts].map(String)];
  const child = run({ name: 'application', command: process.execPath, args });
  const answers = async () => (await fetch(`http://127.0.0.1:${port}${bytesPath(1)}`)).ok;
  await waitUntil(() => answers().catch(() => false), { timeoutMs: START_LIMIT_MS, message: 'the application' });
  return { port, hangingPorts, stop: () => child.stop().then(() => undefined) };
}

/** The path of an answer that tells applications apart. */
export const PORT_PATH = '/port';

/** The path of an answer of so many bytes. */
export function bytesPath(bytes: number): string {
  return `/b/${bytes}`;
}

/** @returns undefined for another path */
export function pathOfBytes(path: string): number | undefined {
  return path.startsWith('/b/') ? Number(path.slice('/b/'.length)) : undefined;
}
