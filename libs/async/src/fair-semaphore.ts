/** Gives the place back. Call it once. */
export type Release = () => void;

export interface FairSemaphoreOptions {
  /** Places of all keys together; `Infinity` for no bound but that of each key. */
  readonly places: number;
  /** Places that one key may have at a time. */
  readonly placesPerKey: number;
  /** Callers of one key that may wait at a time; others are refused at once. */
  readonly waitingPerKey: number;
}

interface Waiter {
  readonly resolve: (release: Release | null) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Shares places among keys. A key has at most its share, and free places go to the keys that wait in turns, so that a
 * caller waits for one place of each other key and never for all callers of one. Callers of one key are served in
 * the order of their calls. Keys that nobody uses cost no memory.
 */
export class FairSemaphore {
  readonly #options: FairSemaphoreOptions;
  readonly #takenByKey = new Map<string, number>();
  /** Callers that wait, by key; the key whose turn is next comes first. */
  readonly #waiting = new Map<string, Set<Waiter>>();
  #taken = 0;

  constructor(options: FairSemaphoreOptions) {
    this.#options = options;
  }

  /** Takes a place if one is free for the key and nobody of the key waits. @returns null if not */
  tryAcquire(key: string): Release | null {
    if (this.#waiting.has(key) || !this.#isFreeFor(key)) return null;
    return this.#take(key);
  }

  /** Waits for a place of the key for at most `limitMs`. @returns null when there was none, or too many wait already */
  acquire(key: string, limitMs: number): Promise<Release | null> {
    const release = this.tryAcquire(key);
    if (release !== null) return Promise.resolve(release);
    const waiting = this.#waiting.get(key) ?? new Set<Waiter>();
    if (waiting.size >= this.#options.waitingPerKey) return Promise.resolve(null);
    this.#waiting.set(key, waiting);
    return new Promise((resolve) => {
      const giveUp = () => {
        waiting.delete(waiter);
        if (waiting.size === 0) this.#waiting.delete(key);
        resolve(null);
      };
      const waiter: Waiter = { resolve, timer: setTimeout(giveUp, limitMs) };
      waiting.add(waiter);
    });
  }

  #isFreeFor(key: string): boolean {
    const { places, placesPerKey } = this.#options;
    return this.#taken < places && (this.#takenByKey.get(key) ?? 0) < placesPerKey;
  }

  #take(key: string): Release {
    this.#taken += 1;
    this.#takenByKey.set(key, (this.#takenByKey.get(key) ?? 0) + 1);
    return () => {
      this.#taken -= 1;
      const left = (this.#takenByKey.get(key) ?? 1) - 1;
      if (left === 0) this.#takenByKey.delete(key);
      else this.#takenByKey.set(key, left);
      this.#serveNext();
    };
  }

  /** One place became free: at most one caller can have it. */
  #serveNext(): void {
    for (const [key, waiting] of this.#waiting) {
      const [waiter] = waiting;
      if (waiter === undefined || !this.#isFreeFor(key)) continue;
      clearTimeout(waiter.timer);
      waiting.delete(waiter);
      this.#waiting.delete(key);
      if (waiting.size > 0) this.#waiting.set(key, waiting); // to the end: the other keys are next
      waiter.resolve(this.#take(key));
      return;
    }
  }
}
