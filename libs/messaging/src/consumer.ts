import type { Backend, JobProcessor, StoredWorker, WorkerSettings, WorkerTrouble } from './backend.js';
import { pause, withinLimit } from './time-limit.js';

/** Something that takes jobs until it is closed. */
export interface Consumer {
  /** Resolves once the first connection stands; jobs are taken from then on. Rejects when closed before. */
  readonly started: Promise<void>;
  /** Takes no more jobs, gives running ones a few seconds, aborts them, and returns in any case within 6 s. */
  close(): Promise<void>;
}

const REACH_LIMIT_MS = 2_000;
const RETRY_MS = 1_000;
/** Under the 9 s a process has for stopping: most jobs end by themselves, the rest learn that they must. */
const FINISH_MS = 3_500;
const ABORT_MS = 1_500;
const DISCONNECT_MS = 500;

/**
 * Starts taking jobs as soon as the store can be reached, however long that takes: a process may start before its
 * Redis. `process` is handed a signal that is aborted when the consumer is closed and will wait no longer.
 */
export function startConsumer(
  backend: Backend,
  name: string,
  process: (job: Parameters<JobProcessor>[0], signal: AbortSignal) => Promise<void>,
  settings: WorkerSettings,
  trouble: WorkerTrouble,
): Consumer {
  const closing = new AbortController();
  const impatience = new AbortController();
  const worker = openPatiently(
    backend,
    () => backend.openWorker(name, (job) => process(job, impatience.signal), settings, trouble),
    trouble.onError,
    closing.signal,
  );
  const started = worker.then((opened) => {
    if (opened === null) throw new Error(`worker ${name} was closed before it started`);
    opened.run().catch(trouble.onError);
  });
  started.catch(() => undefined);

  let closed: Promise<void> | undefined;
  const close = async () => {
    closing.abort();
    const opened = await withinLimit(worker, 2 * REACH_LIMIT_MS, `worker ${name}`).catch(() => null);
    if (opened === null) return;
    const finished = opened.close();
    const inTime = (limitMs: number) =>
      withinLimit(
        finished.then(() => true),
        limitMs,
        `worker ${name}`,
      ).catch(() => false);
    if (await inTime(FINISH_MS)) return;
    impatience.abort(new Error('the process is stopping'));
    if (await inTime(ABORT_MS)) return;
    await withinLimit(opened.disconnect(), DISCONNECT_MS, `worker ${name}`).catch(trouble.onError);
  };
  return { started, close: () => (closed ??= close()) };
}

/** Null when the signal was aborted before the store could be reached. */
async function openPatiently(
  backend: Backend,
  open: () => StoredWorker,
  onError: (error: Error) => void,
  signal: AbortSignal,
): Promise<StoredWorker | null> {
  while (!signal.aborted) {
    let worker: StoredWorker | undefined;
    try {
      await backend.reach(REACH_LIMIT_MS);
      worker = open();
      await withinLimit(worker.waitUntilReady(), REACH_LIMIT_MS, 'worker connection');
      if (!signal.aborted) return worker;
      await worker.disconnect();
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
      await worker?.disconnect().catch(onError);
      await pause(RETRY_MS, signal);
    }
  }
  return null;
}
