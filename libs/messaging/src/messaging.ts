import { withTimeout } from '@pets/async';
import { domainJobs, mapLanes, queues, webhookJobs, type JobLane } from '@pets/contracts';
import type { Backend, BackendQueue, QueueTelemetry, StoreMemory, WorkerErrorHandlers } from './backend.js';
import { startConsumer, type Consumer, type ConsumerOptions } from './consumer.js';
import { createErrorLog, type MessagingLog } from './error-log.js';
import {
  createDomainJobProducer,
  createWebhookJobProducer,
  runLeasedJob,
  type DomainJob,
  type DomainJobHandlers,
  type LeasedJobProducer,
  type WebhookJob,
  type WebhookJobHandlers,
} from './leased-jobs.js';
import { MessageGuard, type MessageObserver, type QueueName, type ReceivedMessage } from './message-guard.js';
import type { MessageAuthentication } from './message-mac.js';
import { createPostgresBackend } from './postgres.backend.js';
import {
  createDomainEventProducer,
  eventRetryDelayMs,
  ProducerQueue,
  type DomainEventProducer,
} from './producer-queue.js';
import { createRedisBackend } from './redis.backend.js';

/**
 * Jobs go from the API to the worker, events from the worker to the API, both through BullMQ queues. Only this library knows
 * BullMQ. A queue executes; the database decides which work is due and whether a result still counts.
 */
export interface Messaging {
  /** Jobs of domains, by lane. */
  readonly jobs: Readonly<Record<JobLane, LeasedJobProducer<DomainJob>>>;
  readonly webhooks: LeasedJobProducer<WebhookJob>;
  readonly events: DomainEventProducer;
  /**
   * Starts the worker side of the jobs of one lane; every worker consumes all. It does not wait for the store;
   * `Consumer.started` does.
   */
  processJobs(handlers: DomainJobHandlers, options: { lane: JobLane; concurrency: number }): Consumer;
  /** The same for the jobs of webhooks, which have their own queue and concurrency. */
  processWebhookJobs(handlers: WebhookJobHandlers, options: { concurrency: number }): Consumer;
  /** Starts the receiving side of the events. Nest uses it through `createEventServer`. */
  consumeEvents(process: (event: ReceivedMessage) => Promise<void>, options: { concurrency: number }): Consumer;
  /** Workers that are connected to the queue of webhooks. @throws Error when the store does not list them */
  countWebhookWorkers(): Promise<number>;
  /** The state of each queue. @throws Error when the store does not answer in time */
  queueStates(): Promise<readonly QueueState[]>;
  /**
   * When the oldest event was sent that no consumer has handled yet; null without one. An event that waits for another try
   * counts as older than all. @throws Error when the store does not answer in time
   */
  oldestEvent(): Promise<Date | null>;
  /** Null while PostgreSQL holds the queues. @throws Error when the store does not answer */
  storeMemory(): Promise<StoreMemory | null>;
  /** Whether the store answers and is usable, known within a second. */
  ready(): Promise<boolean>;
  /** Closes workers, then queues, then connections, each in a bounded time. */
  close(): Promise<void>;
}

export interface MessagingOptions {
  /** Redis or Valkey, in the format of `RedisAddress`. Takes precedence over `databaseUrl`. */
  redisUrl?: string | undefined;
  /** The database that holds the queues when there is no Redis; `migrateMessaging` has run on it. */
  databaseUrl?: string | undefined;
  /** Records traces of jobs and events. */
  telemetry?: QueueTelemetry | undefined;
  /** The keys that sign and verify messages. */
  authentication: MessageAuthentication;
  /** Is notified of unsigned and wrongly signed messages, which are dropped. */
  observer?: MessageObserver | undefined;
  log: MessagingLog;
  /** The time at which messages are signed. The default is the system's. */
  now?: () => Date;
}

const READY_LIMIT_MS = 1_000;
const CLOSE_LIMIT_MS = 1_000;

/** A job whose worker died is not started again: its lease expires, and its row is dispatched with a new attempt. */
const JOB_STALLS = 0;
/** An event whose receiver died is handled again, however often that happens. */
const EVENT_STALLS = 1_000;

/**
 * Opens the queues. Returns at once and reconnects automatically; an operation fails while the store is unavailable.
 * @throws Error when neither URL is given
 */
export function openMessaging(options: MessagingOptions): Messaging {
  const { redisUrl, databaseUrl, telemetry, authentication, observer, log, now = () => new Date() } = options;
  const onError = createErrorLog(log);
  const backend = openBackend(redisUrl, databaseUrl, onError);
  const openQueue = (name: QueueName): OpenQueue => {
    const guard = new MessageGuard(name, { authentication, observer, now });
    return { name, guard, producer: new ProducerQueue(backend, guard, telemetry) };
  };
  const lanes = mapLanes((lane) => openQueue(queues[lane]));
  const webhooks = openQueue(queues.webhooks);
  const events = openQueue(queues.events);
  const awaitedEvents = openQueue(queues.awaitedEvents);
  const all = [...Object.values(lanes), webhooks, events, awaitedEvents];
  const consumers = new Set<Consumer>();
  const errorHandlersOf = (queue: string): WorkerErrorHandlers => ({
    onError: (error) => onError(`worker ${queue}`, error),
    onFailed: (job, error) =>
      log.error(
        { err: error, queue, job: job?.name, id: job?.id, attemptsMade: job?.attemptsMade, ...subjectOf(job?.data) },
        'job failed',
      ),
  });
  const consume = (
    { name, guard, producer }: OpenQueue,
    process: (message: ReceivedMessage, stopping: AbortSignal) => Promise<void>,
    settings: ConsumerOptions['settings'],
  ) => {
    const consumer = startConsumer(backend, {
      name,
      // First the signature, then everything else.
      process: async (job, stopping) => process(guard.admit(job), stopping),
      settings: { ...settings, ...(telemetry && { telemetry: telemetry.worker }) },
      errorHandlers: errorHandlersOf(name),
      waitingCount: () => producer.use((stored) => stored.getWaitingCount()),
    });
    consumers.add(consumer);
    return consumer;
  };

  return {
    jobs: mapLanes((lane) => createDomainJobProducer(lanes[lane].producer)),
    events: createDomainEventProducer(events.producer, awaitedEvents.producer),
    webhooks: createWebhookJobProducer(webhooks.producer),
    processJobs: (handlers, { lane, concurrency }) =>
      consume(lanes[lane], (job, stopping) => runLeasedJob(domainJobs, job, handlers, { stopping, log }), {
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
      const consumers = [consume(events, process, settings), consume(awaitedEvents, process, settings)];
      const started = Promise.all(consumers.map((consumer) => consumer.started)).then(() => undefined);
      started.catch(() => undefined); // not every caller waits for it
      return {
        started,
        close: async () => void (await Promise.all(consumers.map((consumer) => consumer.close()))),
      };
    },
    countWebhookWorkers: () => webhooks.producer.use((stored) => stored.getWorkersCount()),
    queueStates: () => {
      const now = new Date();
      return Promise.all(all.map(({ name, producer }) => readQueueState(name, producer, now)));
    },
    oldestEvent: async () => {
      const found = await Promise.all([events, awaitedEvents].map(({ producer }) => findOldestJob(producer)));
      return found.filter((sentAt) => sentAt !== null).toSorted((a, b) => a.getTime() - b.getTime())[0] ?? null;
    },
    storeMemory: () => backend.memory(),
    ready: () =>
      withTimeout(backend.ping(READY_LIMIT_MS), READY_LIMIT_MS, 'messaging').then(
        () => true,
        () => false,
      ),
    close: async () => {
      await Promise.all([...consumers].map((consumer) => consumer.close()));
      await closeWithinLimit(() => Promise.all(all.map(({ producer }) => producer.close())), onError);
      await closeWithinLimit(() => backend.close(), onError);
    },
  };
}

interface OpenQueue {
  readonly name: QueueName;
  readonly guard: MessageGuard;
  readonly producer: ProducerQueue;
}

/** Connects the queues to the traces of this process. Loads OpenTelemetry and BullMQ's link to it only when called. */
export async function openQueueTelemetry(): Promise<QueueTelemetry> {
  const { createQueueTelemetry } = await import('./otel-queue-telemetry.js');
  return createQueueTelemetry();
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

/** A failed or late close is logged and left to the end of the process: the rest has to be closed too. */
async function closeWithinLimit(
  close: () => Promise<unknown>,
  onError: (source: string, error: Error) => void,
): Promise<void> {
  await withTimeout(close(), CLOSE_LIMIT_MS, 'closing').catch((error: Error) => onError('messaging', error));
}

/** Returns the ids in a message, for its log line. It may be forged, so nothing else of it is logged. */
function subjectOf(text: unknown): Readonly<Record<string, string>> {
  const data = parsed(text);
  if (typeof data !== 'object' || data === null) return {};
  const ids = Object.entries(data).filter(([name, value]) => subjectIds.has(name) && uuid.test(String(value)));
  return Object.fromEntries(ids.map(([name, value]) => [name, String(value)]));
}

/** The payload of a job; null for data that we have not written. */
function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

const subjectIds: ReadonlySet<string> = new Set(['domainId', 'deliveryId']);
const uuid = /^[0-9a-f-]{36}$/;

/** The jobs of one queue at a moment. */
export interface QueueState {
  readonly queue: QueueName;
  readonly jobs: {
    readonly waiting: number;
    readonly active: number;
    readonly delayed: number;
    /** Kept for inspection. */
    readonly failed: number;
  };
  /** How long the next job has waited, in milliseconds; 0 when none waits. */
  readonly oldestWaitingMs: number;
}

/** Bounded in time, like every use of a queue. @throws Error when the store does not answer */
async function readQueueState(name: QueueName, queue: ProducerQueue, now: Date): Promise<QueueState> {
  return queue.use(async (stored) => {
    const counts = await stored.getJobCounts('waiting', 'active', 'delayed', 'failed');
    const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
    const sinceMs = Math.min(...(await findWaitingEnds(stored)).map(({ timestamp }) => timestamp));
    return {
      queue: name,
      jobs: { waiting, active, delayed, failed },
      // The clocks of two machines may differ by a little.
      oldestWaitingMs: Number.isFinite(sinceMs) ? Math.max(now.getTime() - sinceMs, 0) : 0,
    };
  });
}

/**
 * When the oldest job was added that is not done; null when all are. Delayed jobs are in the order of their next attempts, so they
 * count as older than all.
 *
 * Jobs go on while they are read, and the counts are of one moment. What is not delayed at the first count is waiting, then active,
 * and read in this order; what fails meanwhile is delayed at the second count, as an attempt is delayed for longer than this takes.
 * @throws Error when the store does not answer
 */
async function findOldestJob(queue: ProducerQueue): Promise<Date | null> {
  return queue.use(async (stored) => {
    const { waiting = 0, active = 0, delayed = 0 } = await stored.getJobCounts('waiting', 'active', 'delayed');
    if (delayed > 0) return new Date(0);
    if (waiting + active === 0) return null;
    const waitingEnds = await findWaitingEnds(stored);
    // As many as handlers run.
    const running = await stored.getActive(0, -1);
    const { delayed: failed = 0 } = await stored.getJobCounts('delayed');
    if (failed > 0) return new Date(0);
    const times = [...waitingEnds, ...running].map(({ timestamp }) => timestamp);
    return times.length === 0 ? null : new Date(Math.min(...times));
  });
}

/** The first and the last job that wait. Which is the older one depends on the store. */
async function findWaitingEnds(stored: BackendQueue) {
  return (await Promise.all([stored.getWaiting(0, 0), stored.getWaiting(-1, -1)])).flat();
}
