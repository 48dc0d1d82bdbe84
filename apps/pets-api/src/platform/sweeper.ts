import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '@pets/platform';
import type { ShuttingDown } from './shutting-down.js';

export interface Sweep {
  readonly everyMs: number;
  /** Rows a statement: each is short, so that no vacuum or backup waits for it. */
  readonly batch: number;
  /** What is logged when it could not be done. */
  readonly failure: string;
}

/** Clears something away now and then, a batch at a time, for as long as the process runs. Nothing may depend on when. */
export abstract class Sweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<unknown> = Promise.resolve();

  protected constructor(
    private readonly settings: Sweep,
    private readonly shuttingDown: ShuttingDown,
    private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void | Promise<void> {
    this.timer = setInterval(() => {
      // After the one before, should that take longer than the pause.
      this.sweeping = this.sweeping.then(() => this.sweep());
    }, this.settings.everyMs).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }

  /** @returns how many rows were cleared; a failure is logged, and the next time is soon enough */
  async sweep(): Promise<number> {
    const { batch, failure } = this.settings;
    let total = 0;
    try {
      while (!this.shuttingDown.signal.aborted) {
        const cleared = await this.sweepSome(batch);
        total += cleared;
        if (cleared < batch) break;
      }
    } catch (error) {
      this.log.warn({ err: error }, failure);
    }
    return total;
  }

  /** @returns how many rows there were to clear, at most `batch` */
  protected abstract sweepSome(batch: number): Promise<number>;
}
