import { queues, type WebhookJobName, type WebhookJobs } from '@pets/contracts';
import type { Traced } from './domain-jobs.producer.js';
import type { ProducerQueue } from './producer-queue.js';
import type { QueuedJob } from './queue-telemetry.js';

/** One job of the catalog with its payload. */
export type WebhookJob = {
  [N in WebhookJobName]: { readonly name: N; readonly payload: WebhookJobs[N] };
}[WebhookJobName];

export interface WebhookJobProducer {
  /** Adds all in one round trip. A job that is still there under the same attempt is not added twice. */
  addBulk(jobs: readonly (WebhookJob & Traced)[]): Promise<void>;
  /** How many jobs wait for a worker: the dispatcher claims no more above its cap. */
  waitingCount(): Promise<number>;
}

export const webhookJobQueue = queues.webhooks;

export function createWebhookJobProducer(queue: ProducerQueue): WebhookJobProducer {
  return {
    addBulk: async (jobs) => {
      if (jobs.length === 0) return;
      await queue.add(jobs.map(toQueuedJob));
    },
    waitingCount: () => queue.use((stored) => stored.getWaitingCount()),
  };
}

/** One attempt, and nothing kept afterwards, as with the jobs of domains: the due row in the database retries. */
function toQueuedJob({ name, payload, traceParent }: WebhookJob & Traced): QueuedJob {
  const jobId = `${name}-${payload.deliveryId}-a${payload.attempt}`;
  return { name, data: payload, opts: { jobId, attempts: 1, removeOnComplete: true, removeOnFail: true }, traceParent };
}
