import type { Job, JobsOptions, Telemetry } from 'bullmq';

/** The part of BullMQ's `Queue` that this library uses, over either store. */
export interface BackendQueue {
  addBulk(jobs: { name: string; data: unknown; opts: JobsOptions }[]): Promise<unknown>;
  getWaitingCount(): Promise<number>;
  /** Workers that are connected, of all processes. */
  getWorkersCount(): Promise<number>;
  getJobCounts(...states: ('waiting' | 'active' | 'delayed' | 'failed')[]): Promise<Record<string, number>>;
  /** Ordered by time: on Redis the oldest first, on PostgreSQL the newest. Negative numbers count from the end. */
  getWaiting(start: number, end: number): Promise<{ readonly timestamp: number }[]>;
  getActive(start: number, end: number): Promise<{ readonly timestamp: number }[]>;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

/** The part of BullMQ's `Worker` that this library uses, over either store. */
export interface BackendWorker {
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
  /** Records a span of each job. */
  telemetry?: Telemetry;
}

/**
 * Handlers of both kinds of errors: an unhandled error would end the process, and an unhandled failure would not be
 * seen.
 */
export interface WorkerErrorHandlers {
  readonly onError: (error: Error) => void;
  readonly onFailed: (job: Pick<Job, 'id' | 'name' | 'data' | 'attemptsMade'> | undefined, error: Error) => void;
}

/** Memory of a server in bytes: of the fullest, where there are several. */
export interface StoreMemory {
  readonly usedBytes: number;
  readonly limitBytes: number;
}

/** The store of the queues. The BullMQ objects that it opens report their errors to the log and never end the process. */
export interface Backend {
  /**
   * Resolves when the store answers, and rejects within `limitMs` when it does not. Open queues and workers only after it:
   * a BullMQ object whose first connection failed never recovers.
   */
  ping(limitMs: number): Promise<void>;
  /** The memory of the store; null for one that keeps the queues on disk. @throws Error when the store does not answer */
  memory(): Promise<StoreMemory | null>;
  openQueue(name: string): BackendQueue;
  openWorker(
    name: string,
    process: JobProcessor,
    settings: WorkerSettings,
    errorHandlers: WorkerErrorHandlers,
  ): BackendWorker;
  /** Closes the connections that queues and workers share. Close those first. */
  close(): Promise<void>;
}

/**
 * BullMQ's waits while the store is unavailable or the queue is empty. A worker that lost its store retries after a second:
 * BullMQ's default of 15 s is longer than most leases.
 */
export const workerDelays = { runRetryDelay: 1_000, drainDelay: 5 } as const;

/** A job on its way into a queue. */
export interface QueuedJob {
  readonly name: string;
  readonly data: unknown;
  readonly opts: JobsOptions;
  /** The trace that the job belongs to. Without one it starts a trace of its own, if traces are recorded. */
  readonly traceParent?: string | null | undefined;
}

export type StoredJob = Omit<QueuedJob, 'traceParent'>;

/** How the queues take part in traces. */
export interface QueueTelemetry {
  /** BullMQ's own option for a worker. It runs each job in a span that continues the trace of the job. */
  readonly worker: Telemetry;
  /** The `traceparent` of the current work; null outside of any trace. */
  current(): string | null;
  /** Adds jobs by `add`, each with a span of its own: jobs that are added together have nothing else in common. */
  publish(queue: string, jobs: readonly QueuedJob[], add: (jobs: StoredJob[]) => Promise<void>): Promise<void>;
}
