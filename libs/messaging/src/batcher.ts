import { AsyncResource } from 'node:async_hooks';

export interface MicroBatchOptions<Item> {
  readonly maxSize: number;
  /** Items with the same key never share a batch. */
  readonly keyOf?: (item: Item) => string;
  /** Whether a batch that failed is done again one by one, so that an item fails for its own reasons only. */
  readonly retryIndividually: boolean;
}

/** So many items in a row that fail alone as well fail for a reason that is everybody's: whoever waits is told at once. */
const FAILURES_OF_ALL = 2;

/**
 * Does together what comes together: while one batch is under way the next gathers, so that alone an item waits for
 * nobody, and under load a hundred share what one would cost.
 */
export class Batcher<Item> {
  private readonly waiting: Waiting<Item>[] = [];
  /** Under no one's name: what is done for many belongs to none of them. */
  private readonly start: () => void = AsyncResource.bind(() => void this.runAll());
  private isRunning = false;

  constructor(
    private readonly run: (items: readonly Item[]) => Promise<void>,
    private readonly options: MicroBatchOptions<Item>,
  ) {}

  /** Resolves when the item has been done, and rejects with what its own run has thrown. */
  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.start();
    });
  }

  private async runAll(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    // What comes in the same turn of the event loop comes along.
    await new Promise(setImmediate);
    for (let batch = this.take(); batch.length > 0; batch = this.take()) await this.runBatch(batch);
    this.isRunning = false;
  }

  private take(): Waiting<Item>[] {
    const { maxSize, keyOf } = this.options;
    if (keyOf === undefined) return this.waiting.splice(0, maxSize);
    const batch = new Map<string, Waiting<Item>>();
    const left: Waiting<Item>[] = [];
    for (const entry of this.waiting) {
      const key = keyOf(entry.item);
      if (batch.size < maxSize && !batch.has(key)) batch.set(key, entry);
      else left.push(entry);
    }
    this.waiting.splice(0, this.waiting.length, ...left);
    return [...batch.values()];
  }

  private async runBatch(batch: readonly Waiting<Item>[]): Promise<void> {
    const failure = await this.attempt(batch);
    if (failure === null) return;
    if (batch.length > 1 && this.options.retryIndividually) return this.runApart(batch);
    for (const { reject } of batch) reject(failure.error);
  }

  private async runApart(batch: readonly Waiting<Item>[]): Promise<void> {
    let failuresInARow = 0;
    for (const [index, entry] of batch.entries()) {
      const failure = await this.attempt([entry]);
      failuresInARow = failure === null ? 0 : failuresInARow + 1;
      if (failure === null) continue;
      const told = failuresInARow < FAILURES_OF_ALL ? [entry] : batch.slice(index);
      for (const { reject } of told) reject(failure.error);
      if (told.length > 1) return;
    }
  }

  private async attempt(batch: readonly Waiting<Item>[]): Promise<{ readonly error: unknown } | null> {
    try {
      await this.run(batch.map(({ item }) => item));
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
