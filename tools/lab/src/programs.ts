import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { loadConfigOrExit } from '@pets/platform';
import {
  describeExit,
  repositoryRoot,
  sharedReaper,
  startChild,
  untilReady,
  whileAlive,
  type RunningChild,
} from '@pets/testing/processes';
import { z } from 'zod';

const settings = loadConfigOrExit(
  z.object({
    /** A folder for CPU profiles of the processes of a stack. */
    PROFILE: z.string().optional(),
    /** Folders to find servers in. */
    PATH: z.string().default(''),
  }),
);

/** More than a process takes to stop, so that the exit code is its own. */
const STOP_LIMIT_MS = 28_000;

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

/** The file of a program of ours, as it is built. @param build the checkout */
export function built(app: App, file = 'main.js', build: string = repositoryRoot): string {
  return join(build, 'apps', app, 'dist', file);
}

/**
 * Options of Node: `PROFILE=folder` leaves a CPU profile of each process there.
 * @param app names the file, which the next process of that name replaces; without it, each process has a file of its own
 */
export function profiling(app?: App): readonly string[] {
  const { PROFILE: folder } = settings;
  if (folder === undefined) return [];
  return [
    '--cpu-prof',
    `--cpu-prof-dir=${folder}`,
    ...(app === undefined ? [] : [`--cpu-prof-name=${app}.cpuprofile`]),
  ];
}

/** Runs a program of pets-api, such as `built('pets-api', 'admin.js')`, to its end. @returns what it printed */
export function runApi(file: string, args: readonly string[], env: Readonly<Record<string, string>>): string {
  const options = { env, encoding: 'utf8', timeout: 60_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], options);
  if (status !== 0) throw new Error(`${file} failed: ${stderr}${stdout}`);
  return stdout;
}

/** The end of a process after SIGTERM. */
export interface Stopped {
  readonly code: number | null;
  readonly tookMs: number;
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
  /** Starts it after its end, unless it restarts whenever it ends. @param changes of its program, from now on */
  start(changes?: Partial<Pick<Program, 'args' | 'env'>>): void;
  /** SIGSTOP and SIGCONT. */
  signal(signal: NodeJS.Signals): void;
  /** @throws Error with its last lines, where it ends instead and does not restart */
  untilReady(limitMs?: number): Promise<void>;
  stop(): Promise<Stopped>;
}

const KEPT_LINES = 5_000;
const SHOWN_LINES = 40;

/** @param isKept whether it restarts whenever it ends, like a container with a restart policy */
export function startProcess({ onLine, ...first }: Program, url: string, isKept: boolean): StackProcess {
  let program = first;
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
    start: ({ env, ...changes } = {}) => {
      program = { ...program, ...changes, env: { ...program.env, ...env } };
      lines.length = 0;
      isStopping = false;
      child = launch();
    },
    untilReady: (timeoutMs) => {
      const ready = { name: program.name, readyUrl: `${url}/readyz` };
      if (isKept) return untilReady(ready, { timeoutMs });
      const died = child.exited.then((exit) => {
        throw new Error([`${program.name} ${describeExit(exit)}`, ...lines.slice(-SHOWN_LINES)].join('\n'));
      });
      died.catch(() => undefined); // the race reports it, unless it is over
      return whileAlive(died, (signal) => untilReady(ready, { timeoutMs, signal }));
    },
    signal: (name) => void process.kill(child.pid, name),
    stop: async () => {
      const beganMs = performance.now();
      isStopping = true;
      asked.add(child);
      await child.stop();
      const { code } = await child.exited;
      return { code, tookMs: performance.now() - beganMs };
    },
  };
}
