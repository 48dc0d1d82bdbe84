import { withTimeout } from '@pets/async';
import { DependencyUnavailable } from '@pets/platform';
import type { Backend, BackendQueue } from './backend.js';
import type { MessageGuard } from './message-guard.js';
import type { QueuedJob, QueueTelemetry, StoredJob } from './queue-telemetry.js';

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
