import type { JobsOptions, Telemetry } from 'bullmq';

/** A job on its way into a queue. */
export interface QueuedJob {
  readonly name: string;
  readonly data: unknown;
  readonly opts: JobsOptions;
  /** The trace that it is part of; null, like none, begins one where anything is traced. */
  readonly traceParent?: string | null | undefined;
}

export type StoredJob = Omit<QueuedJob, 'traceParent'>;

/** How the queues take part in traces. */
export interface QueueTelemetry {
  /** BullMQ's own option for a worker, which runs each job in a span that goes on with the trace the job carries. */
  readonly worker: Telemetry;
  /** The `traceparent` of what is being done; null outside of any trace. */
  current(): string | null;
  /** Adds jobs by `add`, each carrying a span of its own: jobs that are added together have nothing else in common. */
  publish(queue: string, jobs: readonly QueuedJob[], add: (jobs: StoredJob[]) => Promise<void>): Promise<void>;
}
