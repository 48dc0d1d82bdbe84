import {
  describeExit,
  freePort,
  repositoryRoot,
  sharedReaper,
  startChild,
  waitUntil,
  whileAlive,
} from '@pets/testing/processes';
import { devFilePath, readDevFile, type DevFile } from './supervisor/dev-file.js';
import { existsSync } from 'node:fs';

type StackOptions = {
  readonly dataDir: string;
  /** Settings of `npm start` on top of free ports; `PATH` and `HOME` are worth passing. */
  readonly env?: Readonly<Record<string, string>>;
  readonly onLine?: (line: string) => void;
  readonly timeoutMs?: number;
  /** `npm run dev` instead of `npm start`. */
  readonly mode?: 'start' | 'dev';
  /** The repository that it runs. */
  readonly root?: string;
};

const programs = {
  start: ['tools/dev-stack/dist/main.js'],
  dev: ['--import', './tools/sources/register.mjs', 'tools/dev-stack/src/dev/main.ts'],
} as const;

export type RunningStack = {
  readonly dev: DevFile;
  /** The supervisor's process id. */
  readonly pid: number;
  /** Everything it has printed. */
  readonly lines: readonly string[];
  /** Resolves when the supervisor has ended. */
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Stops the stack as Ctrl-C would. */
  stop(): Promise<void>;
};

/** Port settings of `npm start`. */
export const portVariables = [
  'PETS_API_PORT',
  'PETS_API_INTERNAL_PORT',
  'EDGE_HTTP_PORT',
  'EDGE_HTTPS_PORT',
  'DEV_DNS_PORT',
  'DEV_DNS_SECOND_PORT',
  'DEV_DNS_CONTROL_PORT',
  'DEV_ACME_PORT',
] as const;

/** The whole stack has its own limits for stopping; this is only for when it hangs. */
const STOP_LIMIT_MS = 60_000;

/**
 * Runs the program of `npm start` or of `npm run dev` on free ports, as its tests and `npm run demo` do, and waits until it is
 * ready. `@pets/lab` starts stacks for others.
 */
export async function runStartCommand({
  dataDir,
  env = {},
  onLine,
  timeoutMs = 120_000,
  mode = 'start',
  root = repositoryRoot,
}: StackOptions): Promise<RunningStack> {
  const ports: Record<string, string> = {};
  for (const variable of portVariables) ports[variable] = String(await freePort());
  const lines: string[] = [];
  const child = startChild(
    {
      name: 'stack',
      command: process.execPath,
      args: programs[mode],
      env: { ...ports, ...env, DATA_DIR: dataDir },
      cwd: root,
      stopSignals: ['SIGINT'],
      stopTimeoutMs: STOP_LIMIT_MS,
      stopRank: 0,
    },
    {
      reaper: sharedReaper(),
      onLine: (_name, line) => {
        lines.push(line);
        onLine?.(line);
      },
    },
  );
  const died = child.exited.then((exit) => {
    throw new Error(`the stack ${describeExit(exit)}:\n${lines.slice(-30).join('\n')}`);
  });
  died.catch(() => undefined); // the race below reports it, or `exited`
  const isReady = () => lines.some((line) => line.startsWith('ready ')) && existsSync(devFilePath(dataDir));
  try {
    await whileAlive(died, (signal) => waitUntil(isReady, { timeoutMs, message: 'the stack to be ready', signal }));
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { dev: await readDevFile(dataDir), pid: child.pid, lines, exited: child.exited, stop: () => child.stop() };
}
