export interface PaceSettings<Item> {
  /** How many of one key begin in a second; as many at once where none did lately. */
  readonly perSecond: number;
  /** How long one may have to wait. */
  readonly longestWaitMs: number;
  readonly begin: (item: Item) => void;
  /** Whether it has left while it waited. */
  readonly isGone: (item: Item) => boolean;
  readonly now?: () => number;
  readonly later?: (work: () => void, ms: number) => void;
}

const SECOND_MS = 1_000;
/** How often it is looked whether who waits may begin. */
const LOOK_MS = 10;

/**
 * Lets work begin, of each key only so much in a second, so that no key can have all of the processor's time. What comes
 * beyond that waits behind its own, in order. A virtual schedule for each key (GCRA, ITU-T I.371 §6.2).
 */
export class KeyedRateLimiter<Key, Item> {
  /** When each key has all of its allowance again, the one that began last at the end; who is not in here has it. */
  readonly #wholeAtMs = new Map<Key, number>();
  readonly #waiting = new Map<Key, Item[]>();
  readonly #stepMs: number;
  readonly #mostWaiting: number;
  readonly #now: () => number;
  readonly #later: (work: () => void, ms: number) => void;

  constructor(private readonly settings: PaceSettings<Item>) {
    this.#stepMs = SECOND_MS / settings.perSecond;
    this.#mostWaiting = Math.floor(settings.longestWaitMs / this.#stepMs);
    this.#now = settings.now ?? (() => performance.now());
    this.#later = settings.later ?? ((work, ms) => void setTimeout(work, ms).unref());
  }

  /** @returns false where so many of the key wait that its turn would come too late */
  take(key: Key, item: Item): boolean {
    const line = this.#waiting.get(key);
    if (line !== undefined) {
      if (line.length >= this.#mostWaiting) return false;
      line.push(item);
    } else if (this.#spend(key)) this.settings.begin(item);
    else {
      if (this.#waiting.size === 0) this.#later(this.#look, LOOK_MS);
      this.#waiting.set(key, [item]);
    }
    return true;
  }

  readonly #look = (): void => {
    for (const [key, line] of this.#waiting) {
      this.#beginSome(key, line);
      if (line.length === 0) this.#waiting.delete(key);
    }
    if (this.#waiting.size > 0) this.#later(this.#look, LOOK_MS);
  };

  #beginSome(key: Key, line: Item[]): void {
    for (let [item] = line; item !== undefined; [item] = line) {
      const isGone = this.settings.isGone(item);
      if (!isGone && !this.#spend(key)) return;
      line.shift();
      if (!isGone) this.settings.begin(item);
    }
  }

  /** Whether the key's allowance has something left, which is then taken. */
  #spend(key: Key): boolean {
    const now = this.#now();
    this.#forgetWhole(now);
    const wholeAt = Math.max(now, this.#wholeAtMs.get(key) ?? now) + this.#stepMs;
    if (wholeAt > now + SECOND_MS) return false;
    this.#wholeAtMs.delete(key);
    this.#wholeAtMs.set(key, wholeAt);
    return true;
  }

  /** Those in front began nothing for the longest time; within a second each of them is whole. */
  #forgetWhole(now: number): void {
    for (const [key, wholeAt] of this.#wholeAtMs) {
      if (wholeAt > now) return;
      this.#wholeAtMs.delete(key);
    }
  }
}
