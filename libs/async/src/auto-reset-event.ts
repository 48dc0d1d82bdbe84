/** Lets one loop wait for a signal. A signal that is set while nothing waits ends the next wait. */
export class AutoResetEvent {
  #isSet = false;
  #wake: (() => void) | null = null;

  set(): void {
    this.#isSet = true;
    this.#wake?.();
  }

  /** Resolves when the event is set, or after `limitMs`. */
  async wait(limitMs: number): Promise<void> {
    if (!this.#isSet) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, limitMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.#isSet = false;
    this.#wake = null;
  }
}
