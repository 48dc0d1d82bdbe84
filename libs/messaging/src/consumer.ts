import { pause, withTimeout } from '@pets/async';
import type { Backend, JobProcessor, BackendWorker, WorkerErrorHandlers, WorkerSettings } from './backend.js';

/** Consumes jobs until it is closed. */
export interface Consumer {
  /** Resolves when the first connection is open; jobs are consumed from then on. Rejects when it is closed before. */
  readonly started: Promise<void>;
  /** Takes no more jobs, gives active ones a few seconds, aborts them, and returns within 6 s in any case. */
  close(): Promise<void>;
}

export interface ConsumerOptions {
  readonly name: string;
  readonly process: (job: Parameters<JobProcessor>[0], signal: AbortSignal) => Promise<void>;
  readonly settings: WorkerSettings;
  readonly errorHandlers: WorkerErrorHandlers;
  readonly waitingCount: () => Promise<number>;
  /** A worker that takes no job for this time while jobs wait is replaced. */
  readonly idleLimitMs?: number;
}

const PING_LIMIT_MS = 1_500;
const RETRY_MS = 1_000;
const IDLE_LIMIT_MS = 15_000;
/** Below the 9 s that a process has for stopping: most jobs finish in the first limit, the others are aborted. */
const FINISH_MS = 3_500;
const ABORT_MS = 1_500;
const DISCONNECT_MS = 500;

/**
 * Starts to consume jobs as soon as the store answers, however long that takes: a process may start before its Redis.
 * Closing the consumer aborts the signal of `process` when the time for finishing is over. A worker that is connected but
 * takes no jobs, which may happen after a reconnect, is replaced.
 */
export function startConsumer(backend: Backend, options: ConsumerOptions): Consumer {
  const { name, process, settings, errorHandlers, waitingCount, idleLimitMs = IDLE_LIMIT_MS } = options;
  const { onError } = errorHandlers;
  const closing = new AbortController();
  const abortingJobs = new AbortController();
  const activity = { running: 0, taken: 0 };
  const processCounted: JobProcessor = async (job) => {
    activity.running += 1;
    activity.taken += 1;
    await process(job, abortingJobs.signal).finally(() => (activity.running -= 1));
  };
  let current: BackendWorker | null = null;
  const { promise: started, resolve, reject } = Promise.withResolvers<void>();
  started.catch(() => undefined); // not every caller waits for it

  const supervise = async () => {
    while (!closing.signal.aborted) {
      const open = () => backend.openWorker(name, processCounted, settings, errorHandlers);
      current = await connectWithRetry(backend, open, onError, closing.signal);
      if (current === null) return;
      current.run().catch(onError);
      resolve();
      await untilIdle({ activity, waitingCount, idleLimitMs, signal: closing.signal });
      if (closing.signal.aborted) return;
      onError(new Error(`worker ${name} takes no jobs while jobs wait; replacing it`));
      await withTimeout(current.disconnect(), DISCONNECT_MS, `worker ${name}`).catch(onError);
      current = null;
    }
  };
  const supervision = supervise().finally(() => reject(new Error(`worker ${name} was closed before it started`)));

  let closed: Promise<void> | undefined;
  const close = async () => {
    closing.abort();
    await withTimeout(supervision, 2 * PING_LIMIT_MS, `worker ${name}`).catch(onError);
    if (current !== null) await closeWorker(current, { name, abortingJobs, onError });
  };
  return { started, close: () => (closed ??= close()) };
}

interface Closing {
  readonly name: string;
  readonly abortingJobs: AbortController;
  readonly onError: WorkerErrorHandlers['onError'];
}

async function closeWorker(worker: BackendWorker, { name, abortingJobs, onError }: Closing): Promise<void> {
  const finished = worker.close().then(() => true);
  const finishesWithin = (limitMs: number) => withTimeout(finished, limitMs, `worker ${name}`).catch(() => false);
  if (await finishesWithin(FINISH_MS)) return;
  abortingJobs.abort(new Error('the process is stopping'));
  if (await finishesWithin(ABORT_MS)) return;
  await withTimeout(worker.disconnect(), DISCONNECT_MS, `worker ${name}`).catch(onError);
}

interface IdleCheck {
  readonly activity: { readonly running: number; readonly taken: number };
  readonly waitingCount: () => Promise<number>;
  readonly idleLimitMs: number;
  readonly signal: AbortSignal;
}

const IDLE_CHECKS = 3;

/** Resolves when jobs have waited for the complete limit with none active and none taken, or when the signal is aborted. */
async function untilIdle({ activity, waitingCount, idleLimitMs, signal }: IdleCheck): Promise<void> {
  let { taken } = activity;
  let idleChecks = 0;
  while (!signal.aborted && idleChecks < IDLE_CHECKS) {
    await pause(idleLimitMs / IDLE_CHECKS, signal);
    const isIdle = activity.running === 0 && activity.taken === taken;
    taken = activity.taken;
    // An unavailable store is no fault of the worker.
    const hasWork = isIdle && (await waitingCount().catch(() => 0)) > 0 && activity.taken === taken;
    idleChecks = hasWork ? idleChecks + 1 : 0;
  }
}

/** Null when the signal is aborted before the store answers. */
async function connectWithRetry(
  backend: Backend,
  open: () => BackendWorker,
  onError: (error: Error) => void,
  signal: AbortSignal,
): Promise<BackendWorker | null> {
  while (!signal.aborted) {
    let worker: BackendWorker | undefined;
    try {
      await backend.ping(PING_LIMIT_MS);
      worker = open();
      await withTimeout(worker.waitUntilReady(), PING_LIMIT_MS, 'worker connection');
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
