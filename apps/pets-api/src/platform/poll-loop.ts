import { setTimeout as sleep } from 'node:timers/promises';
import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Channel, NotificationListener } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import type { ShuttingDown } from './shutting-down.js';

export interface PollLoopOptions {
  /** What is to be done is told of here, mostly. */
  readonly channel: Channel;
  /** What was not told of, since it simply came due, is found by looking this often. */
  readonly pollMs: number;
  /** At least so long between two rounds, however often it is woken: the next one is to find several at once. */
  readonly pauseMs: number;
  /** What is logged when a round failed; there is another. */
  readonly failure: string;
}

/** Does what is to be done, whenever it is woken or the time has come, for as long as the process runs. */
export abstract class PollLoop implements OnApplicationBootstrap, OnApplicationShutdown {
  private running: Promise<void> = Promise.resolve();

  protected constructor(
    private readonly looking: PollLoopOptions,
    private readonly notifications: NotificationListener,
    private readonly shuttingDown: ShuttingDown,
    protected readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run(this.shuttingDown.signal);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.running;
  }

  /**
   * One round; ends early when the signal is aborted.
   * @returns another pause before the next one, in ms, where this round has a reason for it
   */
  protected abstract round(signal: AbortSignal): Promise<number | void>;

  private async run(signal: AbortSignal): Promise<void> {
    const { channel, pollMs, pauseMs, failure } = this.looking;
    while (!signal.aborted) {
      const wakeUp = this.notifications.next(channel, pollMs, signal);
      const pause = await this.round(signal).catch((error: unknown) => {
        this.log.error({ err: error }, failure);
      });
      await Promise.all([wakeUp, sleep(pause ?? pauseMs)]);
    }
  }
}
