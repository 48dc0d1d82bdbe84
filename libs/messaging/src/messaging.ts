import { domainJobs, webhookJobs } from '@pets/contracts';
import type { Backend, JobProcessor, WorkerTrouble } from './backend.js';
import { startConsumer, type Consumer, type ConsumerOptions } from './consumer.js';
import {
  createDomainEventProducer,
  domainEventQueue,
  eventRetryDelayMs,
  type DomainEventProducer,
} from './domain-events.producer.js';
import { createDomainJobProducer, domainJobQueue, type DomainJobProducer } from './domain-jobs.producer.js';
import { createErrorLog, type MessagingLog } from './error-log.js';
import { runLeasedJob, type DomainJobHandlers, type WebhookJobHandlers } from './leased-jobs.consumer.js';
import { createPostgresBackend } from './postgres.backend.js';
import { ProducerQueue } from './producer-queue.js';
import type { QueueTelemetry } from './queue-telemetry.js';
import { readQueueState, type QueueState } from './queue-state.js';
import { viewQueue, type QueueView } from './queue-view.js';
import { createRedisBackend } from './redis.backend.js';
import { withinLimit } from './time-limit.js';
import { createWebhookJobProducer, webhookJobQueue, type WebhookJobProducer } from './webhook-jobs.producer.js';

/**
 * Jobs go from the API to the worker, events from the worker to the API, both on BullMQ queues. This library is the
 * only place that knows BullMQ. A queue executes; what is due, and whether a result still counts, the database says.
 */
export interface Messaging {
  readonly jobs: DomainJobProducer;
  readonly webhooks: WebhookJobProducer;
  readonly events: DomainEventProducer;
  /** Starts the worker side of the jobs. Does not wait for the store: `started` of what it returns does. */
  processJobs(handlers: DomainJobHandlers, options: { concurrency: number }): Consumer;
  /** The same for the jobs of webhooks, which have a queue and a concurrency of their own. */
  processWebhookJobs(handlers: WebhookJobHandlers, options: { concurrency: number }): Consumer;
  /** Starts the receiving side of the events; `createEventServer` is how Nest does it. */
  consumeEvents(process: JobProcessor, options: { concurrency: number }): Consumer;
  /** What is in each queue. @throws Error when the store does not answer in time */
  queueStates(): Promise<readonly QueueState[]>;
  /** Each queue, to look at and not to touch. */
  readonly queueViews: readonly QueueView[];
  /** Whether the store answers and is usable, known within a second. */
  ready(): Promise<boolean>;
  /** Closes workers, then queues, then connections, each in a bounded time. */
  close(): Promise<void>;
}

export interface MessagingOptions {
  /** Redis or Valkey, as `RedisAddress` tells. Wins over `databaseUrl`. */
  redisUrl?: string | undefined;
  /** The database that holds the queues where there is no Redis; `migrateMessaging` has run on it. */
  databaseUrl?: string | undefined;
  /** Where traces are recorded; without it nothing of jobs and events is. */
  telemetry?: QueueTelemetry | undefined;
  log: MessagingLog;
}

const READY_LIMIT_MS = 1_000;
const CLOSE_LIMIT_MS = 1_000;

/** A job whose worker died is not started again: its lease runs out, and the row is dispatched with a new attempt. */
const JOB_STALLS = 0;
/** An event whose receiver died is handled again, as often as receivers are replaced. */
const EVENT_STALLS = 1_000;

/**
 * Opens the queues. Returns at once and reconnects by itself; only an operation tells that the store is away.
 * @throws Error when neither URL is given
 */
export function openMessaging({ redisUrl, databaseUrl, telemetry, log }: MessagingOptions): Messaging {
  const onError = createErrorLog(log);
  const backend = openBackend(redisUrl, databaseUrl, onError);
  const jobQueue = new ProducerQueue(backend, domainJobQueue, telemetry);
  const webhookQueue = new ProducerQueue(backend, webhookJobQueue, telemetry);
  const eventQueue = new ProducerQueue(backend, domainEventQueue, telemetry);
  const consumers = new Set<Consumer>();
  const troubleOf = (queue: string): WorkerTrouble => ({
    onError: (error) => onError(`worker ${queue}`, error),
    onFailed: (job, error) =>
      log.error({ err: error, queue, job: job?.name, id: job?.id, attemptsMade: job?.attemptsMade }, 'job failed'),
  });
  const consume = (
    queue: ProducerQueue,
    name: string,
    process: ConsumerOptions['process'],
    settings: ConsumerOptions['settings'],
  ) => {
    const waitingCount = () => queue.use((stored) => stored.getWaitingCount());
    const tracedSettings = { ...settings, ...(telemetry && { telemetry: telemetry.worker }) };
    const consumer = startConsumer(backend, {
      ...{ name, process, settings: tracedSettings, trouble: troubleOf(name), waitingCount },
    });
    consumers.add(consumer);
    return consumer;
  };

  return {
    jobs: createDomainJobProducer(jobQueue),
    events: createDomainEventProducer(eventQueue),
    webhooks: createWebhookJobProducer(webhookQueue),
    processJobs: (handlers, { concurrency }) => {
      const process: ConsumerOptions['process'] = (job, stopping) =>
        runLeasedJob(domainJobs, job, handlers, { stopping, log });
      return consume(jobQueue, domainJobQueue, process, { concurrency, maxStalledCount: JOB_STALLS });
    },
    processWebhookJobs: (handlers, { concurrency }) => {
      const process: ConsumerOptions['process'] = (job, stopping) =>
        runLeasedJob(webhookJobs, job, handlers, { stopping, log });
      return consume(webhookQueue, webhookJobQueue, process, { concurrency, maxStalledCount: JOB_STALLS });
    },
    consumeEvents: (process, { concurrency }) => {
      const settings = { concurrency, maxStalledCount: EVENT_STALLS, backoffStrategy: eventRetryDelayMs };
      return consume(eventQueue, domainEventQueue, process, settings);
    },
    queueStates: () => {
      const now = new Date();
      return Promise.all([
        readQueueState(domainJobQueue, jobQueue, now),
        readQueueState(webhookJobQueue, webhookQueue, now),
        readQueueState(domainEventQueue, eventQueue, now),
      ]);
    },
    queueViews: [
      viewQueue(domainJobQueue, jobQueue),
      viewQueue(webhookJobQueue, webhookQueue),
      viewQueue(domainEventQueue, eventQueue),
    ],
    ready: () =>
      withinLimit(backend.reach(READY_LIMIT_MS), READY_LIMIT_MS, 'messaging').then(
        () => true,
        () => false,
      ),
    close: async () => {
      await Promise.all([...consumers].map((consumer) => consumer.close()));
      await closeQuietly(() => Promise.all([jobQueue.close(), webhookQueue.close(), eventQueue.close()]), onError);
      await closeQuietly(() => backend.close(), onError);
    },
  };
}

function openBackend(
  redisUrl: string | undefined,
  databaseUrl: string | undefined,
  onError: (source: string, error: Error) => void,
): Backend {
  if (redisUrl) return createRedisBackend(redisUrl, onError);
  if (databaseUrl) return createPostgresBackend(databaseUrl, onError);
  throw new Error('messaging needs REDIS_URL or DATABASE_URL');
}

/** What cannot be closed in time is left to the end of the process; it must not keep the rest from being closed. */
async function closeQuietly(
  close: () => Promise<unknown>,
  onError: (source: string, error: Error) => void,
): Promise<void> {
  await withinLimit(close(), CLOSE_LIMIT_MS, 'closing').catch((error: Error) => onError('messaging', error));
}
