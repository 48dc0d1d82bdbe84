import { exponentialDelayMs, withTimeout } from '@pets/async';
import type { DomainEventName, DomainEvents } from '@pets/contracts';
import { DependencyUnavailable } from '@pets/platform';
import type { Backend, BackendQueue, QueuedJob, QueueTelemetry, StoredJob } from './backend.js';
import { Batcher } from './batcher.js';
import type { MessageGuard } from './message-guard.js';

/** Requests and the dispatcher's loop wait for a producer, so it fails within two seconds. */
const PING_LIMIT_MS = 1_500;
const OPEN_LIMIT_MS = 5_000;
const USE_LIMIT_MS = 1_900;

/**
 * Opens a queue on first use, and again after a failure. Buffers nothing while the store is unavailable: an operation either
 * succeeds or throws.
 */
export class ProducerQueue {
  readonly #backend: Backend;
  readonly #guard: MessageGuard;
  readonly #telemetry: QueueTelemetry | undefined;
  #opened: Promise<BackendQueue> | undefined;

  constructor(backend: Backend, guard: MessageGuard, telemetry?: QueueTelemetry) {
    this.#backend = backend;
    this.#guard = guard;
    this.#telemetry = telemetry;
  }

  /** The current trace, for a job that is added later. */
  currentTrace(): string | null {
    return this.#telemetry?.current() ?? null;
  }

  /** Adds all in one round trip. */
  async add(jobs: readonly QueuedJob[]): Promise<void> {
    const signed = this.#guard.sign(jobs);
    const add = async (stored: StoredJob[]) => void (await this.use((queue) => queue.addBulk(stored)));
    if (this.#telemetry !== undefined) return this.#telemetry.publish(this.#guard.queue, signed, add);
    await add(signed.map(({ name, data, opts }) => ({ name, data, opts })));
  }

  /** @throws DependencyUnavailable */
  async use<T>(operation: (queue: BackendQueue) => Promise<T>): Promise<T> {
    const abandoned = new AbortController();
    const done = (async () => {
      const queue = await (this.#opened ??= this.#open());
      abandoned.signal.throwIfAborted();
      return operation(queue);
    })();
    try {
      return await withTimeout(done, USE_LIMIT_MS, `queue ${this.#guard.queue}`);
    } catch (error) {
      abandoned.abort();
      done.catch(() => undefined); // the error below reports it
      throw new DependencyUnavailable(`queue ${this.#guard.queue}`, error);
    }
  }

  async close(): Promise<void> {
    const queue = await this.#opened?.catch(() => undefined);
    await queue?.close();
  }

  async #open(): Promise<BackendQueue> {
    try {
      await this.#backend.ping(PING_LIMIT_MS);
      return await this.#openQueue();
    } catch (error) {
      this.#opened = undefined;
      throw error;
    }
  }

  async #openQueue(): Promise<BackendQueue> {
    const queue = this.#backend.openQueue(this.#guard.queue);
    try {
      await withTimeout(queue.waitUntilReady(), OPEN_LIMIT_MS, `queue ${this.#guard.queue}`);
      return queue;
    } catch (error) {
      await queue.close().catch(() => undefined);
      throw error;
    }
  }
}

export interface DomainEventProducer {
  /**
   * Resolves once the event is stored. It is then delivered, however long its receiver is unavailable. An event that a
   * person waits for does not wait behind others.
   */
  emit<N extends DomainEventName>(name: N, payload: DomainEvents[N], options?: { isAwaited: boolean }): Promise<void>;
}

/** Attempts of an event. The delays below give a receiver that keeps failing about three quarters of an hour. */
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
