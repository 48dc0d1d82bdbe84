import { exponentialDelayMs } from '@pets/async';
import { queues, type DomainEventName, type DomainEvents } from '@pets/contracts';
import { Batcher } from './batcher.js';
import type { ProducerQueue } from './producer-queue.js';

export interface DomainEventProducer {
  /** Resolves once the event is stored; it is then delivered however long its receiver is away. */
  emit<N extends DomainEventName>(name: N, payload: DomainEvents[N]): Promise<void>;
}

export const domainEventQueue = queues.events;

/** With the delays below these last about three quarters of an hour of a receiver that is up but keeps failing. */
const ATTEMPTS = 30;
const RETRY_DELAY = { firstMs: 250, maxMs: 120_000 };

/** Events that were given up stay to be looked at, in bounds. */
const KEEP_FAILED = { count: 1_000, age: 7 * 24 * 3_600 };

/** Events added in one round trip at most. */
const MAX_BATCH = 256;

/** What is emitted while an earlier event is being stored goes together, in one round trip. */
export function createDomainEventProducer(queue: ProducerQueue): DomainEventProducer {
  const batches = new Batcher<StoredEvent>(
    (events) => queue.add(events.map((event) => ({ ...event, opts }))),
    // What cannot be stored is the store's fault, not an event's.
    { maxSize: MAX_BATCH, retryIndividually: false },
  );
  return { emit: (name, data) => batches.add({ name, data, traceParent: queue.currentTrace() }) };
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
