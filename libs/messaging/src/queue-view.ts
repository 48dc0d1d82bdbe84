import { Queue, type Job, type JobType } from 'bullmq';
import type { StoredQueue } from './backend.js';
import type { QueueState } from './queue-state.js';
import type { ProducerQueue } from './producer-queue.js';
import { showPayload } from './shown-payload.js';

/** A job to look at: of BullMQ's `Job` what tells something, and nothing that does something. */
interface JobView {
  readonly id: string | undefined;
  readonly name: string;
  readonly queueName: string;
  readonly opts: Job['opts'];
  /** The whole job; its payload without what is a secret of somebody. */
  toJSON(): ReturnType<Job['toJSON']>;
  getState(): ReturnType<Job['getState']>;
}

/**
 * A queue to look at, for a board of queues: the part of BullMQ's `Queue` that asks. Every question is bounded in time,
 * and fails while the store is away. There are no schedules, flows or limits here, so nothing is asked about them.
 */
export interface QueueView {
  readonly name: QueueState['queue'];
  getJob(id: string): Promise<JobView | undefined>;
  getJobs(states: JobType[], start?: number, end?: number): Promise<readonly JobView[]>;
  getJobCounts(): ReturnType<Queue['getJobCounts']>;
  getJobLogs(id: string): ReturnType<Queue['getJobLogs']>;
  getMetrics: Queue['getMetrics'];
  getWorkers(): ReturnType<Queue['getWorkers']>;
  isPaused(): Promise<boolean>;
  /** Redis' own words about itself (`INFO`); null where PostgreSQL holds the queues. */
  storeInfo(): Promise<string | null>;
}

export function viewQueue(name: QueueState['queue'], queue: ProducerQueue): QueueView {
  const ask = <T>(question: (stored: Queue) => Promise<T>): Promise<T> =>
    queue.use(async (stored) => {
      if (!isWhole(stored)) throw new Error('only a queue of BullMQ can be looked at');
      return question(stored);
    });
  return {
    name,
    getJob: (id) =>
      ask(async (stored) => {
        const job = await stored.getJob(id);
        return job && viewJob(job);
      }),
    // A job may go away between the list of ids and the reading of it.
    getJobs: (states, start, end) =>
      ask(async (stored) => (await stored.getJobs(states, start, end)).filter(Boolean).map(viewJob)),
    getJobCounts: () => ask((stored) => stored.getJobCounts()),
    getJobLogs: (id) => ask((stored) => stored.getJobLogs(id)),
    getMetrics: (...args) => ask((stored) => stored.getMetrics(...args)),
    getWorkers: () => ask((stored) => stored.getWorkers()),
    isPaused: () => ask((stored) => stored.isPaused()),
    storeInfo: () => ask(readStoreInfo),
  };
}

/** What the backends open is the whole of it, of which the rest of this library sees a part. */
function isWhole(stored: StoredQueue): stored is StoredQueue & Queue {
  return stored instanceof Queue;
}

function viewJob(job: Job<unknown>): JobView {
  const { id, name, queueName, opts } = job;
  return {
    id,
    name,
    queueName,
    opts,
    toJSON: () => ({ ...job.toJSON(), data: showPayload(name, job.data) }),
    getState: () => job.getState(),
  };
}

/** Typed as of Redis, whatever the backend is. */
async function readStoreInfo(stored: Queue): Promise<string | null> {
  const client = await (stored.getBackend() as Partial<ReturnType<Queue['getBackend']>>).client;
  return client === undefined ? null : client.info();
}
