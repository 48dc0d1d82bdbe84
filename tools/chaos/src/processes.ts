import { isReady, run, type Program } from '@pets/bench/engine';
import { describeExit, waitUntil, type RunningChild } from '@pets/dev-stack';

/** A process that restarts whenever it exits, like a container with a restart policy. */
export interface KeptProcess {
  readonly pid: number;
  /** The last lines that it printed, for the report of a failed round. */
  readonly lines: readonly string[];
  /** Exits without a kill or a stop. */
  readonly unexpectedExits: readonly string[];
  kill(): void;
  /** SIGSTOP and SIGCONT. */
  signal(signal: NodeJS.Signals): void;
  untilReady(): Promise<void>;
  stop(): Promise<void>;
}

const KEPT_LINES = 60;
const READY_LIMIT_MS = 60_000;

export function keepRunning(program: Program, readyUrl: string): KeptProcess {
  const lines: string[] = [];
  const unexpectedExits: string[] = [];
  let isStopping = false;
  let killed: RunningChild | undefined;
  let child: RunningChild;
  const onLine = (line: string) => {
    lines.push(line);
    lines.splice(0, lines.length - KEPT_LINES);
  };
  const start = () => {
    const started = run({ ...program, onLine });
    child = started;
    void started.exited.then((exit) => {
      if (isStopping) return;
      if (killed !== started) unexpectedExits.push(`${program.name} ${describeExit(exit)}`);
      start();
    });
  };
  start();
  const signal = (name: NodeJS.Signals) => void process.kill(child.pid, name);
  return {
    get pid() {
      return child.pid;
    },
    lines,
    unexpectedExits,
    kill: () => {
      killed = child;
      signal('SIGKILL');
    },
    signal,
    untilReady: async () => {
      await waitUntil(() => isReady(readyUrl), { timeoutMs: READY_LIMIT_MS, message: `${program.name} to be ready` });
    },
    stop: async () => {
      isStopping = true;
      await child.stop();
    },
  };
}

/** A process that is down for as long as a round wants it to be, and comes back at the same place. */
export interface Restartable {
  /** Of the process that was started last. */
  readonly pid: number;
  /** What it printed since it was started last. */
  readonly lines: readonly string[];
  /** Ends that nobody asked for. */
  readonly unexpectedExits: readonly string[];
  /** Ends it at once, with nothing said to anybody. */
  kill(): Promise<void>;
  start(): Promise<void>;
  untilReady(limitMs?: number): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  signal(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export function restartable(program: Program, readyUrl: string): Restartable {
  const lines: string[] = [];
  const unexpectedExits: string[] = [];
  const asked = new Set<RunningChild>();
  const onLine = (line: string) => void lines.push(line);
  const launch = (): RunningChild => {
    const child = run({ ...program, onLine });
    void child.exited.then((exit) => {
      if (!asked.has(child)) unexpectedExits.push(`${program.name} ${describeExit(exit)}`);
    });
    return child;
  };
  let child = launch();
  return {
    lines,
    unexpectedExits,
    get pid() {
      return child.pid;
    },
    kill: async () => {
      asked.add(child);
      process.kill(child.pid, 'SIGKILL');
      await child.exited;
    },
    start: async () => {
      lines.length = 0;
      child = launch();
    },
    untilReady: async (limitMs = READY_LIMIT_MS) => {
      await waitUntil(() => isReady(readyUrl), { timeoutMs: limitMs, message: `${program.name} to be ready` });
    },
    signal: (name) => void process.kill(child.pid, name),
    stop: async () => {
      asked.add(child);
      await child.stop();
    },
  };
}
