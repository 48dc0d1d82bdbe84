import { createConsumerCheck } from './consumed-everywhere.js';
import { createDomainJobProducer, type DomainJob, type LeasedJobProducer } from './leased-jobs.producer.js';
import type { ProducerQueue } from './producer-queue.js';

/** Adds jobs to the queue of a lane, or to the common one while a worker runs that does not consume it. */
export function createLaneJobProducer(lane: ProducerQueue, common: ProducerQueue): LeasedJobProducer<DomainJob> {
  const [laneJobs, commonJobs] = [createDomainJobProducer(lane), createDomainJobProducer(common)];
  const isConsumed = createConsumerCheck(lane, common);
  const choose = async () => ((await isConsumed()) ? laneJobs : commonJobs);
  return {
    addBulk: async (jobs) => {
      if (jobs.length > 0) await (await choose()).addBulk(jobs);
    },
    waitingCount: async () => (await choose()).waitingCount(),
  };
}
