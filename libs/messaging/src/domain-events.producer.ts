import { exponentialDelayMs } from '@pets/async';
import type { DomainEventName, DomainEvents } from '@pets/contracts';
import { Batcher } from './batcher.js';
import type { ProducerQueue } from './producer-queue.js';

export interface DomainEventProducer {
  /**
   * Resolves once the event is stored. It is then delivered, however long its receiver is unavailable. An event that a
   * person waits for does not wait behind others.
   */
  emit<N extends DomainEventName>(name: N, payload: DomainEvents[N], options?: { isAwaited: boolean }): Promise<void>;
}

/** With the delays below, a receiver that keeps failing has about three quarters of an hour. */
const ATTEMPTS = 30;
const RETRY_DELAY = { firstMs: 250, maxMs: 120_000 };

/** Events whose attempts have all failed are kept for inspection, within limits. */
const KEEP_FAILED = { count: 1_000, age: 7 * 24 * 3_600 };

/** Events added in one round trip at most. */
const MAX_BATCH = 256;

/** @param awaited the queue of events that a person waits for */
export function createDomainEventProducer(common: ProducerQueue, awaited: ProducerQueue): DomainEventProducer {
  const [commonEvents, awaitedEvents] = [createBatcher(common), createBatcher(awaited)];
  return {
    emit: (name, data, { isAwaited } = { isAwaited: false }) =>
      (isAwaited ? awaitedEvents : commonEvents).add({ name, data, traceParent: common.currentTrace() }),
  };
}

/** Events that are emitted while an earlier one is being stored share one round trip. */
function createBatcher(queue: ProducerQueue): Batcher<StoredEvent> {
  return new Batcher<StoredEvent>(
    (events) => queue.add(events.map((event) => ({ ...event, opts }))),
    // A batch fails because of the store, never because of one event.
    { maxSize: MAX_BATCH, retryIndividually: false },
  );
}

interface StoredEvent {
  readonly name: DomainEventName;
  readonly data: unknown;
  readonly traceParent: string | null;
}

const opts = {
  attempts: ATTEMPTS,
  backoff: { type: 'custom' },
  removeOnComplete: true,
  removeOnFail: KEEP_FAILED,
};

export function eventRetryDelayMs(attemptsMade: number): number {
  return exponentialDelayMs(RETRY_DELAY, attemptsMade);
}
