import { withTimeout } from '@pets/async';
import {
  domainJobs,
  webhookJobs,
  type DomainJobName,
  type DomainJobs,
  type WebhookJobName,
  type WebhookJobs,
} from '@pets/contracts';
import { UnrecoverableError } from 'bullmq';
import { z } from 'zod';
import type { MessagingLog } from './error-log.js';
import type { ReceivedMessage } from './message-guard.js';
import type { ProducerQueue } from './producer-queue.js';

/** A catalog of jobs whose results count only until their lease expires. */
type LeasedJobs = Readonly<
  Record<string, { readonly schema: z.ZodType<{ leaseUntil: string }>; readonly deadlineMs: number }>
>;

/** A handler for each job of a catalog. A missing one does not compile. */
type JobHandlers<Jobs extends LeasedJobs> = {
  readonly [N in keyof Jobs]: (payload: z.infer<Jobs[N]['schema']>, signal: AbortSignal) => Promise<void>;
};

export type DomainJobHandlers = JobHandlers<typeof domainJobs>;
export type WebhookJobHandlers = JobHandlers<typeof webhookJobs>;

/** The time a handler has after the abort of its signal, to report what it knows. */
const ABORT_GRACE_MS = 2_000;

interface LeasedJobContext {
  readonly stopping: AbortSignal;
  readonly log: MessagingLog;
  readonly now?: () => number;
}

/**
 * Runs a job's handler within the job's limits. An invalid payload fails at once. A job whose lease has expired is dropped,
 * since its row has been dispatched again. The signal is aborted at the deadline or the end of the lease, whichever comes
 * first. A job whose worker died is never started again; its row is dispatched again instead.
 */
export async function runLeasedJob<Jobs extends LeasedJobs>(
  jobs: Jobs,
  job: Pick<ReceivedMessage, 'id' | 'name' | 'data'>,
  handlers: JobHandlers<Jobs>,
  { stopping, log, now = Date.now }: LeasedJobContext,
): Promise<void> {
  const kind = Object.hasOwn(jobs, job.name) ? jobs[job.name] : undefined;
  if (kind === undefined) throw new UnrecoverableError(`unknown job ${job.name}`);
  const parsed = kind.schema.safeParse(job.data);
  if (!parsed.success) throw new UnrecoverableError(`payload of ${job.name}: ${z.prettifyError(parsed.error)}`);
  const remainingMs = Date.parse(parsed.data.leaseUntil) - now();
  if (remainingMs <= 0) {
    log.info({ job: job.name, id: job.id, lateMs: -remainingMs }, 'job dropped: lease expired');
    return;
  }
  // The payload has the type that the handler takes; the compiler cannot follow that through the lookup by name.
  const handle = handlers[job.name] as (payload: unknown, signal: AbortSignal) => Promise<void>;
  await runWithDeadline(Math.min(kind.deadlineMs, remainingMs), stopping, (signal) => handle(parsed.data, signal));
}

async function runWithDeadline(
  limitMs: number,
  stopping: AbortSignal,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error(`timed out after ${limitMs} ms`)), limitMs);
  try {
    await withTimeout(run(AbortSignal.any([deadline.signal, stopping])), limitMs + ABORT_GRACE_MS, 'job');
  } finally {
    clearTimeout(timer);
  }
}

/** A job of the catalog of domains with its payload. */
export type DomainJob = { [N in DomainJobName]: { readonly name: N; readonly payload: DomainJobs[N] } }[DomainJobName];

/** A job of the catalog of webhooks with its payload. */
export type WebhookJob = {
  [N in WebhookJobName]: { readonly name: N; readonly payload: WebhookJobs[N] };
}[WebhookJobName];

/** The trace that a job belongs to. A job without one starts a trace of its own, if traces are recorded. */
export interface Traced {
  readonly traceParent?: string | null;
}

export interface LeasedJobProducer<Job extends { readonly name: string; readonly payload: unknown }> {
  /** Adds all in one round trip. A job of an attempt that is still in the queue is not added twice. */
  addBulk(jobs: readonly (Job & Traced)[]): Promise<void>;
  /** How many jobs wait for a worker. Above its cap the dispatcher claims no more work. */
  waitingCount(): Promise<number>;
}

export function createDomainJobProducer(queue: ProducerQueue): LeasedJobProducer<DomainJob> {
  return createProducer(queue, ({ name, payload }) => {
    if ('certificateId' in payload) return `${name}-${payload.certificateId}-a${payload.attempt}`;
    const { domainId, generation, attempt } = payload;
    return `${name}-${domainId}-g${generation}-a${attempt}`;
  });
}

export function createWebhookJobProducer(queue: ProducerQueue): LeasedJobProducer<WebhookJob> {
  return createProducer(queue, ({ name, payload }) => `${name}-${payload.deliveryId}-a${payload.attempt}`);
}

/**
 * One attempt: the due row in the database retries. Finished jobs are removed, because BullMQ silently ignores a job whose
 * id it still has.
 */
const leasedJobOptions = { attempts: 1, removeOnComplete: true, removeOnFail: true };

/** @param jobIdOf must not contain ':', which BullMQ forbids in ids */
function createProducer<Job extends { readonly name: string; readonly payload: unknown }>(
  queue: ProducerQueue,
  jobIdOf: (job: Job) => string,
): LeasedJobProducer<Job> {
  return {
    addBulk: async (jobs) => {
      if (jobs.length === 0) return;
      await queue.add(
        jobs.map((job) => ({
          name: job.name,
          data: job.payload,
          opts: { jobId: jobIdOf(job), ...leasedJobOptions },
          traceParent: job.traceParent,
        })),
      );
    },
    waitingCount: () => queue.use((stored) => stored.getWaitingCount()),
  };
}
