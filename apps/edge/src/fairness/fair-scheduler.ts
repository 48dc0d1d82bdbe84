export interface FairSchedulerOptions<Item> {
  /** How many items of one key start per tick of the event loop. */
  readonly perTick: number;
  readonly start: (item: Item) => void;
  /** Whether the item is not needed any more: it closed while it waited. */
  readonly isGone: (item: Item) => boolean;
  readonly onNextTick?: (work: () => void) => void;
}

interface Queue<Item> {
  remainingInTick: number;
  readonly waiting: Item[];
}

/**
 * Limits how many items of each key start per tick of the event loop; excess items queue per key. All visitors share one
 * loop, so without this a client with many items at once would delay everybody else. Nothing is refused, and a single item
 * starts at once. The caller limits how many items may wait.
 */
export class FairScheduler<Key, Item> {
  readonly #queues = new Map<Key, Queue<Item>>();
  readonly #options: FairSchedulerOptions<Item>;
  readonly #onNextTick: (work: () => void) => void;

  constructor(options: FairSchedulerOptions<Item>) {
    this.#options = options;
    this.#onNextTick = options.onNextTick ?? setImmediate;
  }

  add(key: Key, item: Item): void {
    const queue = this.#queues.get(key);
    if (queue === undefined) {
      if (this.#queues.size === 0) this.#onNextTick(this.#tick);
      this.#queues.set(key, { remainingInTick: this.#options.perTick - 1, waiting: [] });
      this.#options.start(item);
    } else if (queue.remainingInTick > 0) {
      queue.remainingInTick -= 1;
      this.#options.start(item);
    } else queue.waiting.push(item);
  }

  readonly #tick = (): void => {
    for (const [key, queue] of this.#queues) {
      if (queue.waiting.length === 0) this.#queues.delete(key);
      else this.#startWaiting(queue);
    }
    if (this.#queues.size > 0) this.#onNextTick(this.#tick);
  };

  #startWaiting(queue: Queue<Item>): void {
    queue.remainingInTick = this.#options.perTick;
    while (queue.remainingInTick > 0) {
      const item = queue.waiting.shift();
      if (item === undefined) return;
      if (this.#options.isGone(item)) continue;
      queue.remainingInTick -= 1;
      this.#options.start(item);
    }
  }
}
