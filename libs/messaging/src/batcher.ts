import { AsyncResource } from 'node:async_hooks';

export interface BatcherOptions<Item> {
  readonly maxSize: number;
  /** Items with the same key never share a batch. */
  readonly keyOf?: (item: Item) => string;
  /** Whether the items of a failed batch are run again one by one, so that an item fails only for its own reasons. */
  readonly retryIndividually: boolean;
}

/** After so many individual failures in a row the cause is taken to be common, and the remaining items fail at once. */
const COMMON_CAUSE_FAILURES = 2;

/**
 * Runs items in batches. While one batch runs, the next one fills, so that a single item does not wait, and under load many
 * items share the cost of one run.
 */
export class Batcher<Item> {
  readonly #run: (items: readonly Item[]) => Promise<void>;
  readonly #options: BatcherOptions<Item>;
  readonly #waiting: Waiting<Item>[] = [];
  /** Bound to no caller's asynchronous context: a batch belongs to all of its items. */
  readonly #start: () => void = AsyncResource.bind(() => void this.#runAll());
  #isRunning = false;

  constructor(run: (items: readonly Item[]) => Promise<void>, options: BatcherOptions<Item>) {
    this.#run = run;
    this.#options = options;
  }

  /** Resolves when the item was run, and rejects with the error of its run. */
  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#start();
    });
  }

  async #runAll(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    // Items of the same tick of the event loop share the batch.
    await new Promise(setImmediate);
    for (let batch = this.#take(); batch.length > 0; batch = this.#take()) await this.#runBatch(batch);
    this.#isRunning = false;
  }

  #take(): Waiting<Item>[] {
    const { maxSize, keyOf } = this.#options;
    if (keyOf === undefined) return this.#waiting.splice(0, maxSize);
    const batch = new Map<string, Waiting<Item>>();
    const left: Waiting<Item>[] = [];
    for (const entry of this.#waiting) {
      const key = keyOf(entry.item);
      if (batch.size < maxSize && !batch.has(key)) batch.set(key, entry);
      else left.push(entry);
    }
    this.#waiting.splice(0, this.#waiting.length, ...left);
    return [...batch.values()];
  }

  async #runBatch(batch: readonly Waiting<Item>[]): Promise<void> {
    const failure = await this.#attempt(batch);
    if (failure === null) return;
    if (batch.length > 1 && this.#options.retryIndividually) return this.#runIndividually(batch);
    for (const { reject } of batch) reject(failure.error);
  }

  async #runIndividually(batch: readonly Waiting<Item>[]): Promise<void> {
    let failuresInARow = 0;
    for (const [index, entry] of batch.entries()) {
      const failure = await this.#attempt([entry]);
      failuresInARow = failure === null ? 0 : failuresInARow + 1;
      if (failure === null) continue;
      const failed = failuresInARow < COMMON_CAUSE_FAILURES ? [entry] : batch.slice(index);
      for (const { reject } of failed) reject(failure.error);
      if (failed.length > 1) return;
    }
  }

  async #attempt(batch: readonly Waiting<Item>[]): Promise<{ readonly error: unknown } | null> {
    try {
      await this.#run(batch.map(({ item }) => item));
    } catch (error) {
      return { error };
    }
    for (const { resolve } of batch) resolve();
    return null;
  }
}

interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}
