import { withTimeout } from '@pets/async';
import { domainJobs, webhookJobs } from '@pets/contracts';
import type { Backend, WorkerErrorHandlers } from './backend.js';
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
import { MessageGuard, type MessageObserver, type QueueName, type ReceivedMessage } from './message-guard.js';
import type { MessageAuthentication } from './message-keys.js';
import { createPostgresBackend } from './postgres.backend.js';
import { ProducerQueue } from './producer-queue.js';
import type { QueueTelemetry } from './queue-telemetry.js';
import { readQueueState, type QueueState } from './queue-state.js';
import { viewQueue, type QueueView } from './queue-view.js';
import { createRedisBackend } from './redis.backend.js';
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
  consumeEvents(process: (event: ReceivedMessage) => Promise<void>, options: { concurrency: number }): Consumer;
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
  /** With which keys messages are signed and checked; without it they are not. */
  authentication?: MessageAuthentication | undefined;
  /** Is notified of messages that are not signed as they should be. */
  observer?: MessageObserver | undefined;
  log: MessagingLog;
  /** The time at which messages are signed; the system's, unless a test says otherwise. */
  now?: () => Date;
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
export function openMessaging(options: MessagingOptions): Messaging {
  const { redisUrl, databaseUrl, telemetry, authentication, observer, log, now = () => new Date() } = options;
  const onError = createErrorLog(log);
  const backend = openBackend(redisUrl, databaseUrl, onError);
  if (authentication === undefined) log.warn({}, 'no queue keys are set: messages are neither signed nor checked');
  const openQueue = (name: QueueName): OpenQueue => {
    const guard = new MessageGuard(name, { authentication, observer, now });
    return { name, guard, producer: new ProducerQueue(backend, guard, telemetry) };
  };
  const [jobs, webhooks, events] = [openQueue(domainJobQueue), openQueue(webhookJobQueue), openQueue(domainEventQueue)];
  const all = [jobs, webhooks, events];
  const consumers = new Set<Consumer>();
  const troubleOf = (queue: string): WorkerErrorHandlers => ({
    onError: (error) => onError(`worker ${queue}`, error),
    onFailed: (job, error) =>
      log.error({ err: error, queue, job: job?.name, id: job?.id, attemptsMade: job?.attemptsMade }, 'job failed'),
  });
  const consume = (
    { name, guard, producer }: OpenQueue,
    process: (message: ReceivedMessage, stopping: AbortSignal) => Promise<void>,
    settings: ConsumerOptions['settings'],
  ) => {
    const consumer = startConsumer(backend, {
      name,
      // Before anything else looks at it, its payload's schema included.
      process: async (job, stopping) => process(guard.admit(job), stopping),
      settings: { ...settings, ...(telemetry && { telemetry: telemetry.worker }) },
      trouble: troubleOf(name),
      waitingCount: () => producer.use((stored) => stored.getWaitingCount()),
    });
    consumers.add(consumer);
    return consumer;
  };

  return {
    jobs: createDomainJobProducer(jobs.producer),
    events: createDomainEventProducer(events.producer),
    webhooks: createWebhookJobProducer(webhooks.producer),
    processJobs: (handlers, { concurrency }) =>
      consume(jobs, (job, stopping) => runLeasedJob(domainJobs, job, handlers, { stopping, log }), {
        concurrency,
        maxStalledCount: JOB_STALLS,
      }),
    processWebhookJobs: (handlers, { concurrency }) =>
      consume(webhooks, (job, stopping) => runLeasedJob(webhookJobs, job, handlers, { stopping, log }), {
        concurrency,
        maxStalledCount: JOB_STALLS,
      }),
    consumeEvents: (process, { concurrency }) => {
      const settings = { concurrency, maxStalledCount: EVENT_STALLS, backoffStrategy: eventRetryDelayMs };
      return consume(events, process, settings);
    },
    queueStates: () => {
      const now = new Date();
      return Promise.all(all.map(({ name, producer }) => readQueueState(name, producer, now)));
    },
    queueViews: all.map(({ name, producer }) => viewQueue(name, producer)),
    ready: () =>
      withTimeout(backend.reach(READY_LIMIT_MS), READY_LIMIT_MS, 'messaging').then(
        () => true,
        () => false,
      ),
    close: async () => {
      await Promise.all([...consumers].map((consumer) => consumer.close()));
      await closeQuietly(() => Promise.all(all.map(({ producer }) => producer.close())), onError);
      await closeQuietly(() => backend.close(), onError);
    },
  };
}

/** A queue with both its ends. */
interface OpenQueue {
  readonly name: QueueName;
  readonly guard: MessageGuard;
  readonly producer: ProducerQueue;
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
  await withTimeout(close(), CLOSE_LIMIT_MS, 'closing').catch((error: Error) => onError('messaging', error));
}
