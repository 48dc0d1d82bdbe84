import type { JobsOptions, Telemetry } from 'bullmq';

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
