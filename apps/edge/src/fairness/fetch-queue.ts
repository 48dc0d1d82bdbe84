/** A first-in, first-out queue; both operations take constant time, unlike `Array.shift`. */
class Fifo<Item> {
  #items: (Item | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: Item): void {
    this.#items.push(item);
  }

  shift(): Item | undefined {
    const item = this.#items[this.#head];
    if (this.#head >= this.#items.length) return undefined;
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

interface Requester<Job> {
  readonly name: string;
  readonly waiting: Fifo<Job>;
  running: number;
  /** Whether it is in the round. */
  isQueued: boolean;
}

interface FetchQueueLimits {
  readonly running: number;
  readonly runningPerRequester: number;
  readonly waiting: number;
  readonly waitingPerRequester: number;
}

/** Too many jobs are waiting already. */
export class FetchQueueFullError extends Error {
  constructor() {
    super('too many fetches are waiting');
  }
}

/**
 * Limits how many jobs run at a time. Others queue per requester, and the queues are served in turn, so that a requester with
 * many jobs delays only itself. Every operation takes constant time.
 */
export class FetchQueue<Job> {
  readonly #limits: FetchQueueLimits;
  readonly #run: (job: Job) => Promise<void>;
  readonly #requesters = new Map<string, Requester<Job>>();
  readonly #round = new Fifo<Requester<Job>>();
  #running = 0;
  #waiting = 0;

  /** @param run never rejects */
  constructor(limits: FetchQueueLimits, run: (job: Job) => Promise<void>) {
    this.#limits = limits;
    this.#run = run;
  }

  /** @throws FetchQueueFullError */
  addFetch(name: string, job: Job): void {
    const requester = this.#requesters.get(name) ?? { name, waiting: new Fifo(), running: 0, isQueued: false };
    const { waiting, waitingPerRequester } = this.#limits;
    if (this.#waiting >= waiting || requester.waiting.length >= waitingPerRequester) throw new FetchQueueFullError();
    this.#requesters.set(name, requester);
    requester.waiting.push(job);
    this.#waiting += 1;
    this.#enqueue(requester);
    this.#startNext();
  }

  #startNext(): void {
    while (this.#running < this.#limits.running) {
      const requester = this.#round.shift();
      if (requester === undefined) return;
      requester.isQueued = false;
      const job = requester.waiting.shift();
      if (job === undefined) continue;
      this.#waiting -= 1;
      this.#running += 1;
      requester.running += 1;
      this.#enqueue(requester);
      void this.#run(job).finally(() => this.#ended(requester));
    }
  }

  #ended(requester: Requester<Job>): void {
    this.#running -= 1;
    requester.running -= 1;
    this.#enqueue(requester);
    if (requester.running === 0 && requester.waiting.length === 0) this.#requesters.delete(requester.name);
    this.#startNext();
  }

  #enqueue(requester: Requester<Job>): void {
    const mayRun = requester.waiting.length > 0 && requester.running < this.#limits.runningPerRequester;
    if (requester.isQueued || !mayRun) return;
    requester.isQueued = true;
    this.#round.push(requester);
  }
}

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
