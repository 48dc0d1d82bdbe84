import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { describeExit, startChild, type RunningChild } from './child.js';
import { sharedReaper } from './reaper.js';
import { waitUntil, whileAlive } from './wait-until.js';

const START_LIMIT_MS = 10_000;
const KEPT_LINES = 50;

export type ServiceProcess = {
  readonly pid: number;
  readonly exited: RunningChild['exited'];
  /** The last lines it printed, for a failure to show. */
  readonly lines: readonly string[];
  stop(): Promise<void>;
};

export type ServiceProcessOptions = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Address of this machine; 127.0.0.1 by default. */
  readonly host?: string;
  /** Up when this TCP port takes connections. */
  readonly port: number;
  /** Receives each line that it prints. */
  readonly onLine?: (line: string) => void;
};

/** Starts a server that is installed here and waits until it listens. It ends with this process, however that ends. */
export async function startServiceProcess({
  name,
  command,
  args,
  env = {},
  host = '127.0.0.1',
  port,
  onLine,
}: ServiceProcessOptions): Promise<ServiceProcess> {
  const lines: string[] = [];
  const keepLine = (_name: string, line: string) => {
    onLine?.(line);
    lines.push(line);
    lines.splice(0, lines.length - KEPT_LINES);
  };
  const child = startChild(
    { name, command, args, env, stopSignals: ['SIGTERM'], stopTimeoutMs: 5_000, stopRank: 0 },
    { reaper: sharedReaper(), onLine: keepLine },
  );
  const died = child.exited.then((exit) => {
    throw new Error([`${name} ${describeExit(exit)}`, ...lines].join('\n'));
  });
  died.catch(() => undefined); // the race below reports it, or `exited`
  try {
    const message = `${name} to listen on ${port}`;
    await whileAlive(died, (signal) =>
      waitUntil(() => listens(host, port), { timeoutMs: START_LIMIT_MS, message, signal }),
    );
  } catch (error) {
    await child.stop();
    throw error;
  }
  return { pid: child.pid, exited: child.exited, lines, stop: () => child.stop() };
}

/** Returns the path of a program on PATH, or null where it is not installed. */
export function programPath(program: string): string | null {
  const found = spawnSync('sh', ['-c', 'command -v "$1"', 'sh', program], { encoding: 'utf8', timeout: 5_000 });
  return found.status === 0 ? found.stdout.trim() : null;
}

export function isInstalled(program: string): boolean {
  return programPath(program) !== null;
}

function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host);
    const settle = (isUp: boolean) => {
      socket.destroy();
      resolve(isUp);
    };
    socket.setTimeout(1_000, () => settle(false));
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}
