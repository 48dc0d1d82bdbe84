/** Attempts in a row, each to all addresses, after which an application is suspected to be out of reach. */
const FAILURES = 3;
/** While attempts fail, it is said again so often: what was made of it may have been forgotten. */
const REPEAT_MS = 10_000;

/** Notices in one process that no connection to an application can be opened, and that one can be again. */
export class ConnectStreak {
  readonly #onChange: (isFailing: boolean) => void;
  #failures = 0;
  #saidAtMs: number | undefined;

  constructor(onChange: (isFailing: boolean) => void) {
    this.#onChange = onChange;
  }

  /** An attempt has failed. One that the breaker has refused was none. */
  failed(nowMs: number): void {
    this.#failures += 1;
    if (this.#failures < FAILURES || nowMs - (this.#saidAtMs ?? -Infinity) < REPEAT_MS) return;
    this.#saidAtMs = nowMs;
    this.#onChange(true);
  }

  succeeded(): void {
    this.#failures = 0;
    if (this.#saidAtMs === undefined) return;
    this.#saidAtMs = undefined;
    this.#onChange(false);
  }
}
