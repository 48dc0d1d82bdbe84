import { withTimeout } from '@pets/async';
import { domainJobs, webhookJobs } from '@pets/contracts';
import { UnrecoverableError } from 'bullmq';
import { z } from 'zod';
import type { MessagingLog } from './error-log.js';
import type { ReceivedMessage } from './message-guard.js';

/** A catalog of jobs whose results count only until their lease expires. */
type LeasedJobs = Readonly<
  Record<string, { readonly schema: z.ZodType<{ leaseUntil: string }>; readonly deadlineMs: number }>
>;

/** A handler for each job of a catalog. A missing one does not compile. */
export type JobHandlers<Jobs extends LeasedJobs> = {
  readonly [N in keyof Jobs]: (payload: z.infer<Jobs[N]['schema']>, signal: AbortSignal) => Promise<void>;
};

export type DomainJobHandlers = JobHandlers<typeof domainJobs>;
export type WebhookJobHandlers = JobHandlers<typeof webhookJobs>;

/** The time a handler has after the abort of its signal, to report what it knows. */
const ABORT_GRACE_MS = 2_000;

export interface LeasedJobContext {
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
