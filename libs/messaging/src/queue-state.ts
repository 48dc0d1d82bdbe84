import { queues } from '@pets/contracts';
import type { ProducerQueue } from './producer-queue.js';

/** What is in one queue at a moment. */
export interface QueueState {
  readonly queue: (typeof queues)[keyof typeof queues];
  /** Jobs by where they stand: for a worker, with one, for a time, given up and kept to be looked at. */
  readonly jobs: {
    readonly waiting: number;
    readonly active: number;
    readonly delayed: number;
    readonly failed: number;
  };
  /** How long the job that is next has waited, in milliseconds; 0 where none waits. */
  readonly oldestWaitingMs: number;
}

/** Asks the store. Bounded in time, as every use of a queue. @throws Error when the store does not answer */
export async function readQueueState(name: QueueState['queue'], queue: ProducerQueue, now: Date): Promise<QueueState> {
  return queue.use(async (stored) => {
    const counts = await stored.getJobCounts('waiting', 'active', 'delayed', 'failed');
    const { waiting = 0, active = 0, delayed = 0, failed = 0 } = counts;
    // Which end is the older one depends on the store.
    const ends = await Promise.all([stored.getWaiting(0, 0), stored.getWaiting(-1, -1)]);
    const sinceMs = Math.min(...ends.flat().map(({ timestamp }) => timestamp));
    return {
      queue: name,
      jobs: { waiting, active, delayed, failed },
      // The clocks of two machines may differ by a little.
      oldestWaitingMs: Number.isFinite(sinceMs) ? Math.max(now.getTime() - sinceMs, 0) : 0,
    };
  });
}
