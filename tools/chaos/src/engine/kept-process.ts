import { describeExit, waitUntil, type RunningChild } from '@pets/dev-stack';
import { isReady, run, type Program } from '@pets/bench/engine';

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
