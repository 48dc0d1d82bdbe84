/** Lets one loop wait for a reason to go on. A reason that comes while nobody waits is kept for the next wait. */
export class AutoResetEvent {
  private isSet = false;
  private release: (() => void) | null = null;

  set(): void {
    this.isSet = true;
    this.release?.();
  }

  /** Resolves when there is a reason, or after `limitMs`. */
  async wait(limitMs: number): Promise<void> {
    if (!this.isSet) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, limitMs);
        this.release = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.isSet = false;
    this.release = null;
  }
}
