import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { connect } from 'node:net';
import { repositoryRoot, sharedReaper, startChild, waitUntil, type RunningChild } from '@pets/dev-stack';

import { settings } from '../settings.js';

const READY_LIMIT_MS = 30_000;
const STOP_LIMIT_MS = 10_000;

export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Told of every line it prints; those on its standard error, mostly. */
  readonly onLine?: (line: string) => void;
}

/** Starts a program that ends with us, whatever we die of. */
export function run({ name, command, args, env = {}, onLine = () => undefined }: Program): RunningChild {
  return startChild(
    {
      name,
      command,
      args,
      env: { PATH: settings.PATH, ...env },
      stopSignals: ['SIGTERM'],
      stopTimeoutMs: STOP_LIMIT_MS,
      stopRank: 0,
    },
    { reaper: sharedReaper(), onLine: (_name, line) => onLine(line) },
  );
}

/** One of our programs, as it is built. */
export function built(app: 'pets-api' | 'domains-worker' | 'edge', file = 'main.js'): string {
  return join(repositoryRoot, 'apps', app, 'dist', file);
}

/** Runs a program of pets-api to its end. @returns what it printed */
export function runApi(file: string, args: readonly string[], env: Readonly<Record<string, string>>): string {
  const options = { env, encoding: 'utf8', timeout: 60_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [built('pets-api', file), ...args], options);
  if (status !== 0) throw new Error(`${file} failed: ${stderr}${stdout}`);
  return stdout;
}

/** Whether a server answers `GET path` with 200. */
export async function isReady(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) });
  await response.arrayBuffer();
  return response.ok;
}

export async function untilReady(name: string, url: string): Promise<void> {
  await waitUntil(() => isReady(url), { timeoutMs: READY_LIMIT_MS, message: `${name} to be ready` });
}

/** Starts a Redis that writes nothing, as queues whose truth is elsewhere may be kept. */
export async function startRedis(port: number): Promise<RunningChild> {
  const place = ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no'];
  const redis = run({ name: 'redis', command: 'redis-server', args: place });
  await waitUntil(() => listens(port), { timeoutMs: READY_LIMIT_MS, message: 'redis-server to listen' });
  return redis;
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const settle = (isUp: boolean) => {
      socket.destroy();
      resolve(isUp);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}
