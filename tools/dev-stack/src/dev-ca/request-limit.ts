import { Problem } from './problem.js';

/** Lets so many requests through each second (RFC 8555 §6.6); as many as come where no number is given. */
export class RequestLimit {
  readonly #perSecond: number | undefined;
  readonly #clock: () => Date;
  #second = 0;
  #taken = 0;

  constructor(perSecond: number | undefined, clock: () => Date) {
    this.#perSecond = perSecond;
    this.#clock = clock;
  }

  /** @throws Problem `rateLimited` with `Retry-After` */
  take(): void {
    if (this.#perSecond === undefined) return;
    const second = Math.floor(this.#clock().getTime() / 1_000);
    if (second !== this.#second) [this.#second, this.#taken] = [second, 0];
    this.#taken += 1;
    if (this.#taken > this.#perSecond)
      throw new Problem('rateLimited', `more than ${this.#perSecond} requests a second`, {}, { 'retry-after': '1' });
  }
}
