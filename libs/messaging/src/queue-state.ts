import type { queues } from '@pets/contracts';
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
