import type { DomainJobName, DomainJobs, WebhookJobName, WebhookJobs } from '@pets/contracts';
import type { ProducerQueue } from './producer-queue.js';

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
