import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitUntil } from './wait-until.js';
import type { Reaper } from './reaper.js';

/** Command to run, and how to stop it. */
export type ChildSpec = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment: a child gets what it needs and nothing else. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Another user than ours, where we are root. */
  readonly identity?: Identity;
  /** From polite to firm; SIGKILL for the whole group comes after the last one. */
  readonly stopSignals: readonly NodeJS.Signals[];
  readonly stopTimeoutMs: number;
  /** Lower ranks stop first. */
  readonly stopRank: number;
  /** Whether messages can be sent to it, which it takes with `process.on('message')`. */
  readonly takesMessages?: boolean;
  /** Lines that say nothing to somebody at a terminal. */
  readonly noise?: RegExp;
};

export type Identity = { readonly uid: number; readonly gid: number };

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly error?: Error };

export type RunningChild = {
  readonly name: string;
  readonly pid: number;
  readonly exited: Promise<Exit>;
  readonly stopRank: number;
  /** Nothing happens when it has ended. */
  send(message: string): void;
  /** Resolves with its next message, or with null when it has ended. */
  nextMessage(): Promise<unknown>;
  /** Stops the whole process group, within its limits. Safe to call again. */
  stop(): Promise<void>;
  /** Lets our process end while the child runs. */
  unref(): void;
};

export type LineSink = (name: string, line: string) => void;

/**
 * Starts a child as the leader of its own session, so that Ctrl-C in the terminal reaches us alone and the order of
 * stopping is ours, and registers it with the reaper at once. Its output goes line by line to `onLine`.
 */
export function startChild(spec: ChildSpec, { reaper, onLine }: { reaper: Reaper; onLine: LineSink }): RunningChild {
  const child = spawn(spec.command, spec.args, {
    ...spec.identity,
    env: spec.env,
    cwd: spec.cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(spec.takesMessages === true ? ['ipc' as const] : [])],
  });
  const pid = child.pid;
  if (pid !== undefined) {
    const { stopSignals, stopTimeoutMs, stopRank } = spec;
    reaper.add({ pid, stopSignals, stopTimeoutMs, stopRank });
  }
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue; // for the compiler: both are pipes
    createInterface({ input: stream }).on('line', (line) => {
      if (!spec.noise?.test(line)) onLine(spec.name, line);
    });
  }
  const exited = exitOf(child).then((exit) => {
    if (pid !== undefined) {
      killGroup(pid, 'SIGKILL'); // whatever it left behind in its group
      reaper.remove(pid);
    }
    return exit;
  });
  let stopping: Promise<void> | undefined;
  return {
    name: spec.name,
    pid: pid ?? 0,
    exited,
    stopRank: spec.stopRank,
    send: (message) => {
      if (child.connected) child.send(message, () => undefined); // an error: it has ended, which `exited` reports
    },
    nextMessage: () =>
      new Promise((resolve) => {
        child.once('message', resolve);
        void exited.then(() => resolve(null));
      }),
    stop: () => (stopping ??= pid === undefined ? Promise.resolve() : stopGroup(pid, spec, exited)),
    unref: () => {
      child.unref();
      for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
    },
  };
}

export function describeExit({ code, signal, error }: Exit): string {
  if (error) return `could not be started: ${error.message}`;
  return signal ? `was ended by ${signal}` : `exited with code ${code ?? 'unknown'}`;
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }));
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}

async function stopGroup(pid: number, spec: ChildSpec, exited: Promise<Exit>): Promise<void> {
  for (const signal of [...spec.stopSignals, 'SIGKILL' as const]) {
    killGroup(pid, signal);
    const limit = new AbortController();
    const timer = sleep(spec.stopTimeoutMs, 'late', { signal: limit.signal }).catch(() => 'late');
    const outcome = await Promise.race([exited.then(() => 'gone'), timer]);
    limit.abort();
    if (outcome === 'gone') return;
  }
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException; // what `kill` throws
    if (code !== 'ESRCH' && code !== 'EPERM') throw error; // gone already, or (macOS) only zombies are left
  }
}

/** A service, and the address that answers 200 when it is ready. */
export type ReadySpec = ChildSpec & { readonly readyUrl: string };

const PROBE_LIMIT_MS = 2_000;
const READY_LIMIT_MS = 60_000;

type ReadyLimits = {
  readonly timeoutMs?: number;
  readonly intervalMs?: number;
  /** Ends the wait at once when it is aborted. */
  readonly signal?: AbortSignal;
};

/** Waits until a process answers 200 at its address of readiness. */
export async function untilReady(
  { name, readyUrl }: Pick<ReadySpec, 'name' | 'readyUrl'>,
  { timeoutMs = READY_LIMIT_MS, ...limits }: ReadyLimits = {},
): Promise<void> {
  const look = async () => {
    const probeLimit = AbortSignal.timeout(PROBE_LIMIT_MS);
    const signal = limits.signal === undefined ? probeLimit : AbortSignal.any([limits.signal, probeLimit]);
    const response = await fetch(readyUrl, { signal });
    const text = await response.text();
    if (!response.ok) throw new Error(`${readyUrl} answers ${response.status} ${text.slice(0, 200)}`);
    return true;
  };
  await waitUntil(look, { ...limits, timeoutMs, message: `${name} to be ready` });
}
