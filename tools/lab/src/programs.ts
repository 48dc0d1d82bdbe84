import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { loadConfigOrExit } from '@pets/platform';
import { repositoryRoot, sharedReaper, startChild, type RunningChild } from '@pets/testing/processes';
import { z } from 'zod';

export const settings = loadConfigOrExit(
  z.object({
    /** A folder for CPU profiles of the processes of a stack. */
    PROFILE: z.string().optional(),
    /** Folders to find servers in. */
    PATH: z.string().default(''),
  }),
);

const STOP_LIMIT_MS = 10_000;

export type App = 'pets-api' | 'domains-worker' | 'edge';

export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Receives every line that it prints; those on its standard error, mostly. */
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

/** The file of a program of ours, as it is built. */
export function built(app: App, file = 'main.js'): string {
  return join(repositoryRoot, 'apps', app, 'dist', file);
}

/** Runs a program of pets-api to its end. @returns what it printed */
export function runApi(file: string, args: readonly string[], env: Readonly<Record<string, string>>): string {
  const options = { env, encoding: 'utf8', timeout: 60_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [built('pets-api', file), ...args], options);
  if (status !== 0) throw new Error(`${file} failed: ${stderr}${stdout}`);
  return stdout;
}
