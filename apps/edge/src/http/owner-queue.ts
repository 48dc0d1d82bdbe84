/**
 * Work that takes a processor for long: so much at a time, and of one owner one after the other, so that an owner who brings a
 * lot delays only itself. How much may wait is for those to limit who bring it.
 */
export class OwnerQueue {
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #running = new Set<string>();

  constructor(private readonly maxRunning: number) {}

  /** @throws what the work throws */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.#running.has(owner) || this.#running.size >= this.maxRunning) await this.#wait(owner);
    else this.#running.add(owner);
    try {
      return await work();
    } finally {
      this.#running.delete(owner);
      this.#startNext();
    }
  }

  #wait(owner: string): Promise<void> {
    return new Promise((resolve) => {
      const queue = this.#waiting.get(owner) ?? [];
      queue.push(resolve);
      this.#waiting.set(owner, queue);
    });
  }

  /** Owners have their turns in the order in which they began to wait; one that has more goes to the end. */
  #startNext(): void {
    for (const [owner, queue] of this.#waiting) {
      if (this.#running.size >= this.maxRunning) return;
      if (this.#running.has(owner)) continue;
      const next = queue.shift();
      this.#waiting.delete(owner);
      if (queue.length > 0) this.#waiting.set(owner, queue);
      if (next === undefined) continue;
      this.#running.add(owner);
      next();
    }
  }
}
