import { describeExit, untilReady, type RunningChild } from '@pets/testing/processes';
import { run, type Program } from './programs.js';

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
