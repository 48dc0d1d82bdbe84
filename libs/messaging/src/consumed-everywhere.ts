import type { ProducerQueue } from './producer-queue.js';

/** How long an answer about the consumers is believed. */
const BELIEVED_MS = 5_000;

/**
 * Whether every consumer of a common queue consumes a newer queue too. Consumers of this version consume both and those of
 * earlier versions only the common one, so the newer queue has fewer consumers while several versions run.
 */
export function createConsumerCheck(queue: ProducerQueue, common: ProducerQueue): () => Promise<boolean> {
  let believed = { isConsumed: false, untilMs: 0 };
  return async () => {
    const nowMs = Date.now();
    if (nowMs >= believed.untilMs) {
      // A store may forbid to list its clients; the common queue always works.
      const [own, all] = await Promise.all([countConsumers(queue), countConsumers(common)]).catch(() => [0, 0]);
      believed = { isConsumed: own > 0 && own >= all, untilMs: nowMs + BELIEVED_MS };
    }
    return believed.isConsumed;
  };
}

function countConsumers(queue: ProducerQueue): Promise<number> {
  return queue.use((stored) => stored.getWorkersCount());
}
