import type { DomainEventProducer, DomainJobHandlers, Messaging, WebhookJobHandlers } from '@pets/messaging';
import { withLogFields, type LogFields, type Logger } from '@pets/platform';
import type { JobResult, WorkerMetrics } from './worker-metrics.js';

type Handlers = DomainJobHandlers | WebhookJobHandlers;
type Handle = (payload: never, signal: AbortSignal) => Promise<void>;

export interface Observers {
  readonly metrics: WorkerMetrics;
  readonly log: Logger;
}

/**
 * Decorates messaging: counts jobs and events, logs a line for each job, and adds job, domain and attempt to every line that is
 * logged during a job.
 */
export function observeMessaging(messaging: Messaging, observers: Observers): Messaging {
  const emit: DomainEventProducer['emit'] = async (name, event, options) => {
    await messaging.events.emit(name, event, options);
    observers.metrics.fact(name, event);
  };
  return {
    ...messaging,
    events: { emit },
    processJobs: (handlers, options) => messaging.processJobs(observed(handlers, observers), options),
    processWebhookJobs: (handlers, options) => messaging.processWebhookJobs(observed(handlers, observers), options),
  };
}

function observed<H extends Handlers>(handlers: H, observers: Observers): H {
  const observe = ([job, handle]: [string, Handle]): [string, Handle] => [
    job,
    (payload, signal) =>
      withLogFields({ job, ...fieldsOf(payload) }, () => observeJob(job, () => handle(payload, signal), observers)),
  ];
  // The names stay with their handlers, which the type of `fromEntries` does not express.
  return Object.fromEntries((Object.entries(handlers) as [string, Handle][]).map(observe)) as unknown as H;
}

async function observeJob(job: string, run: () => Promise<void>, { metrics, log }: Observers): Promise<void> {
  const startedMs = performance.now();
  const record = (result: JobResult) => {
    const ms = performance.now() - startedMs;
    metrics.job(job, result, ms);
    log.info({ result, ms: Math.round(ms) }, 'job finished');
  };
  try {
    await run();
  } catch (error) {
    record('failed');
    throw error;
  }
  record('completed');
}

/** The members of a payload that may be logged. */
function fieldsOf(payload: {
  readonly domainId?: string;
  readonly generation?: number;
  readonly deliveryId?: string;
  readonly attempt?: number;
}): LogFields {
  const { domainId, generation, deliveryId, attempt } = payload;
  return {
    ...(domainId !== undefined && { domainId }),
    ...(generation !== undefined && { generation }),
    ...(deliveryId !== undefined && { deliveryId }),
    ...(attempt !== undefined && { attempt }),
  };
}
