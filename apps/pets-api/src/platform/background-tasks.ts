import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { NotificationListener } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { runPollLoop, type PollLoopOptions } from './poll-loop.js';
import { LOG, NOTIFICATIONS } from './providers.js';
import { ShuttingDown } from './shutting-down.js';
import { sweep, type Sweep } from './sweep.js';

/**
 * What the process does besides answering requests. Providers register their loops and sweeps in `onModuleInit`; these begin
 * with the application. At the end no new round begins, and the application closes once the last ones are done.
 */
@Injectable()
export class BackgroundTasks implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loops: PollLoopOptions[] = [];
  private readonly repeated: { readonly everyMs: number; readonly run: () => Promise<unknown> }[] = [];
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly running: (() => Promise<unknown>)[] = [];

  constructor(
    private readonly shuttingDown: ShuttingDown,
    @Inject(NOTIFICATIONS) private readonly notifications: Pick<NotificationListener, 'next'>,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  poll(loop: PollLoopOptions): void {
    this.loops.push(loop);
  }

  /** Nothing may depend on when it runs. @param run never rejects */
  repeat(everyMs: number, run: () => Promise<unknown>): void {
    this.repeated.push({ everyMs, run });
  }

  /** Sweeps at once. @returns how many rows were cleared; a failure is logged */
  sweep(options: Sweep): Promise<number> {
    return sweep(options, { log: this.log, signal: this.shuttingDown.signal });
  }

  onApplicationBootstrap(): void {
    for (const loop of this.loops) {
      const { notifications, log } = this;
      const done = runPollLoop(loop, { notifications, log, signal: this.shuttingDown.signal });
      this.running.push(() => done);
    }
    for (const { everyMs, run } of this.repeated) {
      let last: Promise<unknown> = Promise.resolve();
      const runNext = () => {
        // After the one before, should that take longer than the pause.
        last = last.then(run);
      };
      this.timers.push(setInterval(runNext, everyMs).unref());
      this.running.push(() => last);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer);
    await Promise.all(this.running.map((last) => last()));
  }
}
