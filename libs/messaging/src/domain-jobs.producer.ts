import { queues, type DomainJobName, type DomainJobs } from '@pets/contracts';
import type { ProducerQueue } from './producer-queue.js';
import type { QueuedJob } from './queue-telemetry.js';

/** One job of the catalog with its payload. */
export type DomainJob = { [N in DomainJobName]: { readonly name: N; readonly payload: DomainJobs[N] } }[DomainJobName];

/** The trace that a job is part of; without one it begins a trace of its own, where anything is traced. */
export interface Traced {
  readonly traceParent?: string | null;
}

export interface DomainJobProducer {
  /** Adds all in one round trip. A job that is still there under the same attempt is not added twice. */
  addBulk(jobs: readonly (DomainJob & Traced)[]): Promise<void>;
  /** How many jobs wait for a worker: the dispatcher claims no more above its cap. */
  waitingCount(): Promise<number>;
}

export const domainJobQueue = queues.jobs;

export function createDomainJobProducer(queue: ProducerQueue): DomainJobProducer {
  return {
    addBulk: async (jobs) => {
      if (jobs.length === 0) return;
      await queue.add(jobs.map(toQueuedJob));
    },
    waitingCount: () => queue.use((stored) => stored.getWaitingCount()),
  };
}

/**
 * One attempt, and nothing kept afterwards: the due row in the database retries, and a finished job that is kept would
 * silently swallow another of its id.
 */
function toQueuedJob({ name, payload, traceParent }: DomainJob & Traced): QueuedJob {
  return {
    name,
    data: payload,
    opts: { jobId: domainJobId(name, payload), attempts: 1, removeOnComplete: true, removeOnFail: true },
    traceParent,
  };
}

/** BullMQ forbids ':' in ids. */
function domainJobId(name: DomainJobName, payload: DomainJobs[DomainJobName]): string {
  if ('certificateId' in payload) return `${name}-${payload.certificateId}-a${payload.attempt}`;
  const { domainId, generation, attempt } = payload;
  return `${name}-${domainId}-g${generation}-a${attempt}`;
}
