import { startReaper } from '../processes/reaper.js';
import { watchParents } from './parents.js';
import { Supervisor } from './supervisor.js';

export type SuperviseOptions = {
  readonly print: (line: string) => void;
  /** For the reason of a stop that nobody asked for. */
  readonly complain: (line: string) => void;
  /** Whether to stop when the process that started us has gone: npm, when it was killed outright. */
  readonly stopWithParent: boolean;
};

/**
 * Runs a stack until it is asked to stop or something in it ends. `bringUp` starts the children; the promise resolves
 * after all have ended, with the exit code of this process: 0 only after a stop that was asked for.
 */
export async function supervise(
  bringUp: (supervisor: Supervisor) => Promise<void>,
  { print, complain, stopWithParent }: SuperviseOptions,
): Promise<number> {
  const supervisor = new Supervisor({ reaper: startReaper(), onLine: (name, line) => print(`[${name}] ${line}`) });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => supervisor.stop({ kind: 'asked' }));
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
