import { domainJobs, type DomainJobName, type DomainJobs } from '@pets/contracts';
import { UnrecoverableError } from 'bullmq';
import { z } from 'zod';
import type { JobProcessor } from './backend.js';
import type { MessagingLog } from './error-log.js';
import { withinLimit } from './time-limit.js';

/** What is done with each job of the catalog; one without a handler does not compile. */
export type DomainJobHandlers = {
  readonly [N in DomainJobName]: (payload: DomainJobs[N], signal: AbortSignal) => Promise<void>;
};

/** What a handler gets after its signal was aborted, to say what it knows. */
const LAST_WORDS_MS = 2_000;

/**
 * Runs a job's handler under the job's own limits: a payload that is not what its schema says fails at once, an expired
 * lease means the row has been dispatched anew, and the signal is aborted at the deadline or the end of the lease,
 * whichever is sooner. A job whose worker died is never started again, for its row is.
 */
export async function runDomainJob(
  job: Parameters<JobProcessor>[0],
  handlers: DomainJobHandlers,
  stopping: AbortSignal,
  log: MessagingLog,
  now: () => number = Date.now,
): Promise<void> {
  if (!isDomainJobName(job.name)) throw new UnrecoverableError(`unknown job ${job.name}`);
  const payload = parseJob(job.name, job.data);
  const { domainId, generation, attempt } = payload;
  const leftMs = Date.parse(payload.leaseUntil) - now();
  if (leftMs <= 0) {
    log.info({ job: job.name, domainId, generation, attempt, lateMs: -leftMs }, 'job dropped: its lease is over');
    return;
  }
  await runWithin(Math.min(domainJobs[job.name].deadlineMs, leftMs), stopping, (signal) =>
    callHandler(handlers, job.name as DomainJobName, payload, signal),
  );
}

function isDomainJobName(name: string): name is DomainJobName {
  return Object.hasOwn(domainJobs, name);
}

function parseJob<N extends DomainJobName>(name: N, stored: unknown): DomainJobs[N] {
  const parsed = domainJobs[name].schema.safeParse(stored);
  if (!parsed.success) throw new UnrecoverableError(`payload of ${name}: ${z.prettifyError(parsed.error)}`);
  // The schema found under N gives what DomainJobs tells for N; the compiler cannot follow that through the look-up.
  return parsed.data as DomainJobs[N];
}

function callHandler<N extends DomainJobName>(
  handlers: DomainJobHandlers,
  name: N,
  payload: DomainJobs[N],
  signal: AbortSignal,
): Promise<void> {
  return handlers[name](payload, signal);
}

async function runWithin(
  limitMs: number,
  stopping: AbortSignal,
  run: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(new Error(`gave up after ${limitMs} ms`)), limitMs);
  try {
    await withinLimit(run(AbortSignal.any([deadline.signal, stopping])), limitMs + LAST_WORDS_MS, 'job');
  } finally {
    clearTimeout(timer);
  }
}
