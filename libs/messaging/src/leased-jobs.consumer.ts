import { withTimeout } from '@pets/async';
import { domainJobs, webhookJobs } from '@pets/contracts';
import { UnrecoverableError } from 'bullmq';
import { z } from 'zod';
import type { MessagingLog } from './error-log.js';
import type { ReceivedMessage } from './message-guard.js';

/** A catalog of jobs that count only while their lease lasts. */
type LeasedJobs = Readonly<
  Record<string, { readonly schema: z.ZodType<{ leaseUntil: string }>; readonly deadlineMs: number }>
>;

/** What is done with each job of a catalog; one without a handler does not compile. */
export type JobHandlers<Jobs extends LeasedJobs> = {
  readonly [N in keyof Jobs]: (payload: z.infer<Jobs[N]['schema']>, signal: AbortSignal) => Promise<void>;
};

export type DomainJobHandlers = JobHandlers<typeof domainJobs>;
export type WebhookJobHandlers = JobHandlers<typeof webhookJobs>;

/** What a handler gets after its signal was aborted, to say what it knows. */
const ABORT_GRACE_MS = 2_000;

/** Where a job is run. */
export interface JobCircumstances {
  readonly stopping: AbortSignal;
  readonly log: MessagingLog;
  readonly now?: () => number;
}

/**
 * Runs a job's handler under the job's own limits: a payload that is not what its schema says fails at once, an expired
 * lease means the row has been dispatched anew, and the signal is aborted at the deadline or the end of the lease,
 * whichever is sooner. A job whose worker died is never started again, for its row is.
 */
export async function runLeasedJob<Jobs extends LeasedJobs>(
  jobs: Jobs,
  job: Pick<ReceivedMessage, 'id' | 'name' | 'data'>,
  handlers: JobHandlers<Jobs>,
  { stopping, log, now = Date.now }: JobCircumstances,
): Promise<void> {
  const kind = Object.hasOwn(jobs, job.name) ? jobs[job.name] : undefined;
  if (kind === undefined) throw new UnrecoverableError(`unknown job ${job.name}`);
  const parsed = kind.schema.safeParse(job.data);
  if (!parsed.success) throw new UnrecoverableError(`payload of ${job.name}: ${z.prettifyError(parsed.error)}`);
  const leftMs = Date.parse(parsed.data.leaseUntil) - now();
  if (leftMs <= 0) {
    log.info({ job: job.name, id: job.id, lateMs: -leftMs }, 'job dropped: its lease is over');
    return;
  }
  // The schema found under the name gives what the handler takes; the compiler cannot follow that through the look-up.
  const handle = handlers[job.name] as (payload: unknown, signal: AbortSignal) => Promise<void>;
  await runWithin(Math.min(kind.deadlineMs, leftMs), stopping, (signal) => handle(parsed.data, signal));
}

async function runWithin(
  limitMs: number,
  stopping: AbortSignal,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error(`gave up after ${limitMs} ms`)), limitMs);
  try {
    await withTimeout(run(AbortSignal.any([deadline.signal, stopping])), limitMs + ABORT_GRACE_MS, 'job');
  } finally {
    clearTimeout(timer);
  }
}
