import { readFileSync } from 'node:fs';
import { startReaper } from '../processes/reaper.js';
import type { LineSink } from '../processes/child.js';
import { lineSink } from './log-lines.js';
import { Supervisor } from './supervisor.js';

const LOOK_EVERY_MS = 500;
const SHELL = /^(?:sh|bash|dash|zsh)$/;

export type SuperviseOptions = {
  readonly print: (line: string) => void;
  /** For the reason of a stop that nobody asked for. */
  readonly complain: (line: string) => void;
  /** Whether to stop when the process that started us has gone: npm, when it was killed outright. */
  readonly stopWithParent: boolean;
  /** Receives the lines of the children. */
  readonly onLine?: LineSink;
};

/**
 * Runs a stack until it is asked to stop or something in it ends. `bringUp` starts the children; the promise resolves
 * after all have ended, with the exit code of this process: 0 only after a stop that was asked for.
 */
export async function supervise(
  bringUp: (supervisor: Supervisor) => Promise<void>,
  { print, complain, stopWithParent, onLine = lineSink(print, process.stdout.isTTY) }: SuperviseOptions,
): Promise<number> {
  const supervisor = new Supervisor({ reaper: startReaper(), onLine });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!supervisor.signal.aborted) print(`received ${signal}`);
      supervisor.stop({ kind: 'asked' });
    });
  }
  const unwatch = stopWithParent
    ? watchParents(() => supervisor.stop({ kind: 'failed', why: 'the process that started this has gone' }))
    : () => undefined;
  bringUp(supervisor).catch((error: unknown) => {
    supervisor.stop({ kind: 'failed', why: error instanceof Error ? error.message : String(error) });
  });
  supervisor.signal.addEventListener('abort', () => print('stopping'));
  const reason = await supervisor.stopped;
  unwatch();
  if (reason.kind === 'asked') {
    print('stopped');
    return 0;
  }
  complain(`stopped: ${reason.why}`);
  return 1;
}

/**
 * Calls back once when a process above this one has gone. npm starts scripts through a shell, which stays when npm is
 * killed outright; so the shell's own parent is watched as well (on Linux, where it can be seen).
 * @returns how to stop watching
 */
function watchParents(onGone: () => void): () => void {
  const parent = process.ppid;
  const viaShell = readStat(parent);
  const grandparent = viaShell && SHELL.test(viaShell.name) ? viaShell.parent : undefined;
  const timer = setInterval(() => {
    const isGone = process.ppid !== parent || (grandparent !== undefined && readStat(parent)?.parent !== grandparent);
    if (!isGone) return;
    clearInterval(timer);
    onGone();
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

function readStat(pid: number): { name: string; parent: number } | undefined {
  try {
    const match = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return match ? { name: match[1] ?? '', parent: Number(match[2]) } : undefined;
  } catch {
    return undefined; // gone, or a system without /proc
  }
}
