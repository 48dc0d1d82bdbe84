import { withTimeout } from '@pets/async';

export interface ReadingLimits {
  /** How long a reading is handed out before there is another. */
  readonly keepMs: number;
  /** Whoever asks waits no longer, and is then given what was read before. */
  readonly limitMs: number;
  /** Told of each reading that failed or took too long. */
  readonly onFailure: (error: unknown) => void;
}

/** After a reading that took long there is a rest of so many times that: it takes a twentieth of the time at most. */
const REST = 19;

/**
 * Something that costs to read, for whoever looks at it again and again: those who ask at the same time share one
 * reading, and there is none more often than its limits say. What could not be read is null, and is kept as well.
 */
export class CachedQuery<T> {
  #underWay: Promise<T | null> | null = null;
  #kept: { readonly value: T | null; readonly untilMs: number } | null = null;

  /** @param now milliseconds of a clock that only goes forward */
  constructor(
    private readonly read: () => Promise<T>,
    private readonly limits: ReadingLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  async current(): Promise<T | null> {
    if (this.#kept !== null && this.now() < this.#kept.untilMs) return this.#kept.value;
    this.#underWay ??= this.#readAnew().finally(() => (this.#underWay = null));
    return this.#inTime(this.#underWay);
  }

  async #readAnew(): Promise<T | null> {
    const beganMs = this.now();
    let value: T | null = null;
    try {
      value = await this.read();
    } catch (error) {
      this.limits.onFailure(error);
    }
    const endedMs = this.now();
    this.#kept = { value, untilMs: endedMs + Math.max(this.limits.keepMs, REST * (endedMs - beganMs)) };
    return value;
  }

  async #inTime(reading: Promise<T | null>): Promise<T | null> {
    const { limitMs, onFailure } = this.limits;
    try {
      return await withTimeout(reading, limitMs, 'query');
    } catch (error) {
      onFailure(error);
      return this.#kept?.value ?? null;
    }
  }
}
