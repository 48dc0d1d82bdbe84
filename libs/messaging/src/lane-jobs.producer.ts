import { createDomainJobProducer, type DomainJob, type LeasedJobProducer } from './leased-jobs.producer.js';
import type { ProducerQueue } from './producer-queue.js';

/** How long an answer about the workers is believed. */
const BELIEVED_MS = 5_000;

/**
 * Adds jobs to the queue of a lane once every worker consumes it, and to the common one before: workers of earlier versions
 * know only that. Workers consume both, so those of a queue with fewer are of several versions.
 */
export function createLaneJobProducer(lane: ProducerQueue, common: ProducerQueue): LeasedJobProducer<DomainJob> {
  const [laneJobs, commonJobs] = [createDomainJobProducer(lane), createDomainJobProducer(common)];
  let believed = { isConsumed: false, untilMs: 0 };
  const choose = async () => {
    const nowMs = Date.now();
    if (nowMs >= believed.untilMs) {
      // A store may forbid to list its clients; the common queue always works.
      const [ofLane, ofAll] = await Promise.all([countWorkers(lane), countWorkers(common)]).catch(() => [0, 0]);
      believed = { isConsumed: ofLane > 0 && ofLane >= ofAll, untilMs: nowMs + BELIEVED_MS };
    }
    return believed.isConsumed ? laneJobs : commonJobs;
  };
  return {
    addBulk: async (jobs) => {
      if (jobs.length > 0) await (await choose()).addBulk(jobs);
    },
    waitingCount: async () => (await choose()).waitingCount(),
  };
}

function countWorkers(queue: ProducerQueue): Promise<number> {
  return queue.use((stored) => stored.getWorkersCount());
}
