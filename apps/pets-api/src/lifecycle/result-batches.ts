import { Batcher } from '@pets/messaging';

/** Behaviour of a batch for items whose rows another transaction has locked. */
export type BusyRows = 'wait' | 'skip';

export interface ResultBatchesOptions<Item> {
  readonly maxSize: number;
  /** Items with the same key never share a batch. */
  readonly keyOf: (item: Item) => string;
  /** @returns the items that it has skipped; none if it waits */
  readonly apply: (items: readonly Item[], busy: BusyRows) => Promise<readonly Item[]>;
}

/**
 * Batches in which an item does not wait for the rows of another: items whose rows are locked, such as by a piece of an
 * import, leave their batch and wait in a second one.
 */
export class ResultBatches<Item extends object> {
  readonly #prompt: Batcher<Item>;
  readonly #patient: Batcher<Item>;
  readonly #skipped = new WeakSet<Item>();

  constructor({ apply, ...options }: ResultBatchesOptions<Item>) {
    this.#prompt = new Batcher(
      async (items) => {
        for (const item of await apply(items, 'skip')) this.#skipped.add(item);
      },
      { ...options, retryIndividually: true },
    );
    this.#patient = new Batcher(async (items) => void (await apply(items, 'wait')), {
      ...options,
      retryIndividually: true,
    });
  }

  async addResult(item: Item): Promise<void> {
    await this.#prompt.add(item);
    if (this.#skipped.delete(item)) await this.#patient.add(item);
  }
}
