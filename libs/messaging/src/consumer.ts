import { pause, withTimeout } from '@pets/async';
import type { Backend, JobProcessor, StoredWorker, WorkerSettings, WorkerErrorHandlers } from './backend.js';

/** Something that takes jobs until it is closed. */
export interface Consumer {
  /** Resolves once the first connection stands; jobs are taken from then on. Rejects when closed before. */
  readonly started: Promise<void>;
  /** Takes no more jobs, gives running ones a few seconds, aborts them, and returns in any case within 6 s. */
  close(): Promise<void>;
}

export interface ConsumerOptions {
  readonly name: string;
  readonly process: (job: Parameters<JobProcessor>[0], signal: AbortSignal) => Promise<void>;
  readonly settings: WorkerSettings;
  readonly trouble: WorkerErrorHandlers;
  readonly waitingCount: () => Promise<number>;
  /** A worker that takes nothing for so long while jobs wait is opened anew. */
  readonly idleLimitMs?: number;
}

const REACH_LIMIT_MS = 1_500;
const RETRY_MS = 1_000;
const IDLE_LIMIT_MS = 15_000;
/** Under the 9 s a process has for stopping: most jobs end by themselves, the rest learn that they must. */
const FINISH_MS = 3_500;
const ABORT_MS = 1_500;
const DISCONNECT_MS = 500;

/**
 * Starts taking jobs as soon as the store can be reached, however long that takes: a process may start before its
 * Redis. `process` is handed a signal that is aborted when the consumer is closed and will wait no longer. A worker that
 * is connected and yet takes nothing, as may happen after a reconnect, is replaced.
 */
export function startConsumer(backend: Backend, options: ConsumerOptions): Consumer {
  const { name, process, settings, trouble, waitingCount, idleLimitMs = IDLE_LIMIT_MS } = options;
  const closing = new AbortController();
  const impatience = new AbortController();
  const activity = { running: 0, taken: 0 };
  const processCounted: JobProcessor = async (job) => {
    activity.running += 1;
    activity.taken += 1;
    await process(job, impatience.signal).finally(() => (activity.running -= 1));
  };
  let current: StoredWorker | null = null;
  const { promise: started, resolve, reject } = Promise.withResolvers<void>();
  started.catch(() => undefined);

  const life = async () => {
    while (!closing.signal.aborted) {
      const open = () => backend.openWorker(name, processCounted, settings, trouble);
      current = await connectWithRetry(backend, open, trouble.onError, closing.signal);
      if (current === null) return;
      current.run().catch(trouble.onError);
      resolve();
      await untilIdle({ activity, waitingCount, idleLimitMs, signal: closing.signal });
      if (closing.signal.aborted) return;
      trouble.onError(new Error(`worker ${name} takes no jobs while some wait: it is opened anew`));
      await withTimeout(current.disconnect(), DISCONNECT_MS, `worker ${name}`).catch(trouble.onError);
      current = null;
    }
  };
  const lived = life().finally(() => reject(new Error(`worker ${name} was closed before it started`)));

  let closed: Promise<void> | undefined;
  const close = async () => {
    closing.abort();
    await withTimeout(lived, 2 * REACH_LIMIT_MS, `worker ${name}`).catch(trouble.onError);
    if (current !== null) await closeWorker(current, name, impatience, trouble);
  };
  return { started, close: () => (closed ??= close()) };
}

async function closeWorker(
  worker: StoredWorker,
  name: string,
  impatience: AbortController,
  trouble: WorkerErrorHandlers,
): Promise<void> {
  const finished = worker.close().then(() => true);
  const inTime = (limitMs: number) => withTimeout(finished, limitMs, `worker ${name}`).catch(() => false);
  if (await inTime(FINISH_MS)) return;
  impatience.abort(new Error('the process is stopping'));
  if (await inTime(ABORT_MS)) return;
  await withTimeout(worker.disconnect(), DISCONNECT_MS, `worker ${name}`).catch(trouble.onError);
}

interface Idleness {
  readonly activity: { readonly running: number; readonly taken: number };
  readonly waitingCount: () => Promise<number>;
  readonly idleLimitMs: number;
  readonly signal: AbortSignal;
}

/** Resolves when jobs have waited for the whole limit with none running and none taken, or when the signal is aborted. */
async function untilIdle({ activity, waitingCount, idleLimitMs, signal }: Idleness): Promise<void> {
  const LOOKS = 3;
  let [taken, idleLooks] = [activity.taken, 0];
  while (!signal.aborted && idleLooks < LOOKS) {
    await pause(idleLimitMs / LOOKS, signal);
    const isIdle = activity.running === 0 && activity.taken === taken;
    taken = activity.taken;
    // A store that does not answer is no fault of the worker's.
    const isWanted = isIdle && (await waitingCount().catch(() => 0)) > 0 && activity.taken === taken;
    idleLooks = isWanted ? idleLooks + 1 : 0;
  }
}

/** Null when the signal was aborted before the store could be reached. */
async function connectWithRetry(
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
      await withTimeout(worker.waitUntilReady(), REACH_LIMIT_MS, 'worker connection');
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
