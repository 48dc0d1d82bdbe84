export interface CircuitBreakerOptions {
  /** Failures in a row, without any success in between, that open the circuit. */
  readonly failures: number;
  /** How long calls are refused before one is let through as a trial. */
  readonly openMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly nowMs?: () => number;
}

/**
 * Refuses calls to a service that has stopped to answer, so that callers do not wait for it until their time limits. After
 * a while one call is let through: its success closes the circuit, its failure keeps it open for as long again.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  readonly #nowMs: () => number;
  #failuresInARow = 0;
  #openUntilMs = -Infinity;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  /** Whether a call may be made. While the circuit is open, the first one after `openMs` may; its result must be recorded. */
  admit(): boolean {
    if (!this.isOpen) return true;
    if (this.#nowMs() < this.#openUntilMs) return false;
    this.#openUntilMs = this.#nowMs() + this.#options.openMs;
    return true;
  }

  /** Whether calls are refused, except for trials. */
  get isOpen(): boolean {
    return this.#failuresInARow >= this.#options.failures;
  }

  /** Records the result of an admitted call. One without a result, such as an aborted call, needs no record. */
  record(hasSucceeded: boolean): void {
    this.#failuresInARow = hasSucceeded ? 0 : this.#failuresInARow + 1;
    if (this.isOpen) this.#openUntilMs = this.#nowMs() + this.#options.openMs;
  }
}
