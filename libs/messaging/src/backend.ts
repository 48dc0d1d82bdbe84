import type { Job, JobsOptions, Telemetry } from 'bullmq';

/** The part of BullMQ's `Queue` that is used, whichever store stands behind it. */
export interface StoredQueue {
  addBulk(jobs: { name: string; data: unknown; opts: JobsOptions }[]): Promise<unknown>;
  getWaitingCount(): Promise<number>;
  getJobCounts(...states: ('waiting' | 'active' | 'delayed' | 'failed')[]): Promise<Record<string, number>>;
  /** In order of time, on Redis the oldest first and on PostgreSQL the newest; negative numbers count from the end. */
  getWaiting(start: number, end: number): Promise<{ readonly timestamp: number }[]>;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

/** The part of BullMQ's `Worker` that is used, whichever store stands behind it. */
export interface StoredWorker {
  waitUntilReady(): Promise<unknown>;
  run(): Promise<void>;
  close(): Promise<void>;
  disconnect(): Promise<void>;
}

export type JobProcessor = (job: Pick<Job<unknown>, 'id' | 'name' | 'data' | 'attemptsMade' | 'opts'>) => Promise<void>;

export interface WorkerSettings {
  concurrency: number;
  /** How often a job whose worker vanished is started again. */
  maxStalledCount: number;
  /** Delay before the next attempt of a job added with `backoff: { type: 'custom' }`. */
  backoffStrategy?: (attemptsMade: number) => number;
  /** Where each job is told of to whoever records traces. */
  telemetry?: Telemetry;
}

/** Where an opened worker tells what went wrong; both must be heard, or an error ends the process or is never seen. */
export interface WorkerErrorHandlers {
  readonly onError: (error: Error) => void;
  readonly onFailed: (job: Pick<Job, 'id' | 'name' | 'attemptsMade'> | undefined, error: Error) => void;
}

/** Where the queues live. BullMQ objects it opens report their errors to the log and never crash the process. */
export interface Backend {
  /**
   * Resolves when the store answers, and rejects within `limitMs` when it does not. Queues and workers are opened only
   * after it: BullMQ remembers a failed first connection for ever.
   */
  reach(limitMs: number): Promise<void>;
  openQueue(name: string): StoredQueue;
  openWorker(name: string, process: JobProcessor, settings: WorkerSettings, trouble: WorkerErrorHandlers): StoredWorker;
  /** Ends what queues and workers share; they have been closed before. */
  close(): Promise<void>;
}

/**
 * BullMQ's waits while the store is away or the queue is empty. A worker that lost its store tries again after a
 * second (BullMQ's own default is 15 s, longer than most leases here).
 */
export const workerWaits = { runRetryDelay: 1_000, drainDelay: 5 } as const;
