import { queues, type DomainEvents, type WebhookJobs } from '@pets/contracts';
import { Queue, type Job, type JobType } from 'bullmq';
import type { BackendQueue } from './backend.js';
import type { ProducerQueue } from './producer-queue.js';

type QueueName = (typeof queues)[keyof typeof queues];

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
export async function readQueueState(name: QueueName, queue: ProducerQueue, now: Date): Promise<QueueState> {
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
 * When the oldest job was added that is not done; null when all are. A job is waiting, then active, and delayed after a failure:
 * it is read in this order. Jobs that are delayed are in the order of their next attempts, so they count as older than all.
 * @throws Error when the store does not answer
 */
export async function findOldestJob(queue: ProducerQueue): Promise<Date | null> {
  return queue.use(async (stored) => {
    const waiting = await findWaitingEnds(stored);
    // As many as handlers run.
    const active = await stored.getActive(0, -1);
    const { delayed = 0 } = await stored.getJobCounts('delayed');
    if (delayed > 0) return new Date(0);
    const times = [...waiting, ...active].map(({ timestamp }) => timestamp);
    return times.length === 0 ? null : new Date(Math.min(...times));
  });
}

/** The first and the last job that wait. Which is the older one depends on the store. */
async function findWaitingEnds(stored: BackendQueue) {
  return (await Promise.all([stored.getWaiting(0, 0), stored.getWaiting(-1, -1)])).flat();
}

/** The part of BullMQ's `Job` that reads. */
interface JobView {
  readonly id: string | undefined;
  readonly name: string;
  readonly queueName: string;
  readonly opts: Job['opts'];
  /** The complete job with a redacted payload. */
  toJSON(): ReturnType<Job['toJSON']>;
  getState(): ReturnType<Job['getState']>;
}

/**
 * A read-only queue for a board of queues: the part of BullMQ's `Queue` that reads. Every call is bounded in time and fails
 * while the store is unavailable. No queue has schedules, flows or limits, so there are no calls for them.
 */
export interface QueueView {
  readonly name: QueueName;
  getJob(id: string): Promise<JobView | undefined>;
  getJobs(states: JobType[], start?: number, end?: number): Promise<readonly JobView[]>;
  getJobCounts(): ReturnType<Queue['getJobCounts']>;
  getJobLogs(id: string): ReturnType<Queue['getJobLogs']>;
  getMetrics: Queue['getMetrics'];
  getWorkers(): ReturnType<Queue['getWorkers']>;
  isPaused(): Promise<boolean>;
  /** The output of Redis' `INFO`; null when PostgreSQL holds the queues. */
  storeInfo(): Promise<string | null>;
}

export function viewQueue(name: QueueName, queue: ProducerQueue): QueueView {
  const read = <T>(operation: (stored: Queue) => Promise<T>): Promise<T> =>
    queue.use(async (stored) => {
      if (!isBullMqQueue(stored)) throw new Error('only a queue of BullMQ can be viewed');
      return operation(stored);
    });
  return {
    name,
    getJob: (id) =>
      read(async (stored) => {
        const job = await stored.getJob(id);
        return job && viewJob(job);
      }),
    // A job may be removed between the query of its id and that of its data.
    getJobs: (states, start, end) =>
      read(async (stored) => (await stored.getJobs(states, start, end)).filter(Boolean).map(viewJob)),
    getJobCounts: () => read((stored) => stored.getJobCounts()),
    getJobLogs: (id) => read((stored) => stored.getJobLogs(id)),
    getMetrics: (...args) => read((stored) => stored.getMetrics(...args)),
    getWorkers: () => read((stored) => stored.getWorkers()),
    isPaused: () => read((stored) => stored.isPaused()),
    storeInfo: () => read(readStoreInfo),
  };
}

/** The backends open queues of BullMQ, of which the other files of this library see a part. */
function isBullMqQueue(stored: BackendQueue): stored is BackendQueue & Queue {
  return stored instanceof Queue;
}

function viewJob(job: Job<unknown>): JobView {
  const { id, name, queueName, opts } = job;
  return {
    id,
    name,
    queueName,
    opts,
    toJSON: () => ({ ...job.toJSON(), data: redactPayload(name, job.data) }),
    getState: () => job.getState(),
  };
}

/** Its type says Redis for every backend. */
async function readStoreInfo(stored: Queue): Promise<string | null> {
  const client = await (stored.getBackend() as Partial<ReturnType<Queue['getBackend']>>).client;
  return client === undefined ? null : client.info();
}

const HIDDEN = '(hidden)';

/**
 * The payload of a job or an event as an operator sees it, without the data of customers and their receivers. The URL of a
 * webhook is often a secret, its signature lets its holder repeat the request, and all headers and bodies belong to the customer. All
 * other members are public (names, DNS, CSR, chain) or ids.
 */
export function redactPayload(name: string, payload: unknown): unknown {
  const hidden = hiddenMembers[name];
  if (hidden === undefined || typeof payload !== 'object' || payload === null) return payload;
  const redact = ([member, value]: [string, unknown]) =>
    [member, hidden.includes(member) && value !== null ? HIDDEN : value] as const;
  return Object.fromEntries(Object.entries(payload).map(redact));
}

const hiddenMembers: Readonly<Record<string, readonly string[]>> = {
  'deliver-webhook': ['url', 'headers', 'body'],
  'webhook.attempted': ['bodyStart', 'error', 'requestHeaders', 'responseHeaders'],
} satisfies {
  'deliver-webhook': readonly (keyof WebhookJobs['deliver-webhook'])[];
  'webhook.attempted': readonly (keyof DomainEvents['webhook.attempted'])[];
};
