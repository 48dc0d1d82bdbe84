/**
 * Limits the concurrent tasks of each key; excess tasks wait in order. A server that receives more datagrams than its
 * socket can hold loses the rest, and each lost datagram costs a timeout.
 */
export class KeyedSemaphore {
  readonly #servers = new Map<string, { active: number; readonly waiting: (() => void)[] }>();

  readonly #limit: number;

  /** @param limit tasks of one key at a time */
  constructor(limit: number) {
    this.#limit = limit;
  }

  async run<Result>(key: string, task: () => Promise<Result>): Promise<Result> {
    const queue = this.#servers.get(key) ?? { active: 0, waiting: [] };
    this.#servers.set(key, queue);
    if (queue.active >= this.#limit) await new Promise<void>((resolve) => queue.waiting.push(resolve));
    else queue.active += 1;
    try {
      return await task();
    } finally {
      // The next task takes over the slot, so that no other task can take it first.
      const next = queue.waiting.shift();
      if (next !== undefined) next();
      else if (--queue.active === 0) this.#servers.delete(key);
    }
  }
}
