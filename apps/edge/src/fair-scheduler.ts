export interface TurnsSettings<Item> {
  /** How many of one key begin in a turn. */
  readonly perTurn: number;
  readonly begin: (item: Item) => void;
  /** Whether it has left while it waited. */
  readonly isGone: (item: Item) => boolean;
  readonly nextTurn?: (work: () => void) => void;
}

interface Line<Item> {
  left: number;
  readonly waiting: Item[];
}

/**
 * Lets work begin, of each key only so much in a turn of the event loop. There is one loop for everybody: whoever brings a
 * lot at once would make all others wait for all of it, and like this waits for its own. Nothing is refused, and what
 * comes alone does not wait at all. How much may wait is for those to limit who bring it.
 */
export class FairScheduler<Key, Item> {
  readonly #lines = new Map<Key, Line<Item>>();
  readonly #nextTurn: (work: () => void) => void;

  constructor(private readonly settings: TurnsSettings<Item>) {
    this.#nextTurn = settings.nextTurn ?? setImmediate;
  }

  take(key: Key, item: Item): void {
    const { perTurn, begin } = this.settings;
    const line = this.#lines.get(key);
    if (line === undefined) {
      if (this.#lines.size === 0) this.#nextTurn(this.#turn);
      this.#lines.set(key, { left: perTurn - 1, waiting: [] });
      begin(item);
    } else if (line.left > 0) {
      line.left -= 1;
      begin(item);
    } else line.waiting.push(item);
  }

  readonly #turn = (): void => {
    for (const [key, line] of this.#lines) {
      if (line.waiting.length === 0) this.#lines.delete(key);
      else this.#begin(line);
    }
    if (this.#lines.size > 0) this.#nextTurn(this.#turn);
  };

  #begin(line: Line<Item>): void {
    const { perTurn, begin, isGone } = this.settings;
    line.left = perTurn;
    while (line.left > 0) {
      const item = line.waiting.shift();
      if (item === undefined) return;
      if (isGone(item)) continue;
      line.left -= 1;
      begin(item);
    }
  }
}
