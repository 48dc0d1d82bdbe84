/**
 * Limits how many expensive tasks run at the same time, and runs the tasks of one owner one after another: an owner with many
 * tasks delays only itself. The caller limits how many tasks may wait.
 */
export class OwnerQueue {
  readonly #maxRunning: number;
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #running = new Set<string>();

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  /** @throws the error of the task */
  async run<T>(owner: string, task: () => Promise<T>): Promise<T> {
    if (this.#running.has(owner) || this.#running.size >= this.#maxRunning) await this.#wait(owner);
    else this.#running.add(owner);
    try {
      return await task();
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

  /** Owners are served in the order in which they started to wait; one with more tasks moves to the end. */
  #startNext(): void {
    for (const [owner, queue] of this.#waiting) {
      if (this.#running.size >= this.#maxRunning) return;
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
