import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { loadConfigOrExit } from '@pets/platform';
import {
  describeExit,
  repositoryRoot,
  sharedReaper,
  startChild,
  untilReady,
  type RunningChild,
} from '@pets/testing/processes';
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

/** A process of ours that faults can end, stop and start again at the same place. */
export interface StackProcess {
  /** PID of the process that was started last. */
  readonly pid: number;
  /** The address where it answers: for pets-api its API, for others their health. */
  readonly url: string;
  /** The last lines that it printed, since the last `start`. */
  readonly lines: readonly string[];
  /** Ends that nobody asked for. */
  readonly unexpectedExits: readonly string[];
  /** Ends it at once, without a goodbye. Resolves when it has ended. */
  kill(): Promise<void>;
  /** Starts it after a kill, unless it restarts whenever it ends. */
  start(): void;
  /** SIGSTOP and SIGCONT. */
  signal(signal: NodeJS.Signals): void;
  untilReady(limitMs?: number): Promise<void>;
  stop(): Promise<void>;
}

const KEPT_LINES = 5_000;

/** @param isKept whether it restarts whenever it ends, like a container with a restart policy */
export function startProcess({ onLine, ...program }: Program, url: string, isKept: boolean): StackProcess {
  const lines: string[] = [];
  const unexpectedExits: string[] = [];
  const asked = new Set<RunningChild>();
  let isStopping = false;
  const keepLine = (line: string) => {
    onLine?.(line);
    lines.push(line);
    if (lines.length > KEPT_LINES) lines.shift();
  };
  const launch = (): RunningChild => {
    const started = run({ ...program, onLine: keepLine });
    void started.exited.then((exit) => {
      if (!asked.has(started)) unexpectedExits.push(`${program.name} ${describeExit(exit)}`);
      if (isKept && !isStopping) child = launch();
    });
    return started;
  };
  let child = launch();
  return {
    url,
    lines,
    unexpectedExits,
    get pid() {
      return child.pid;
    },
    kill: async () => {
      const killed = child;
      asked.add(killed);
      process.kill(killed.pid, 'SIGKILL');
      await killed.exited;
    },
    start: () => {
      lines.length = 0;
      child = launch();
    },
    untilReady: (timeoutMs) => untilReady({ name: program.name, readyUrl: `${url}/readyz` }, { timeoutMs }),
    signal: (name) => void process.kill(child.pid, name),
    stop: async () => {
      isStopping = true;
      asked.add(child);
      await child.stop();
    },
  };
}
