import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '@pets/platform';
import type { Clock } from '../clock.js';
import { CLOCK, LOG } from '../providers.js';
import { ShuttingDown } from '../shutting-down.js';
import { IdempotentAnswersRepository } from './idempotent-answers.repository.js';

const EVERY_MS = 10 * 60 * 1_000;
/** Rows a statement: each is short, so that no vacuum or backup waits for it. */
const BATCH = 1_000;

/** Deletes expired answers. Nothing depends on when: an expired answer is none, deleted or not. */
@Injectable()
export class IdempotentAnswersSweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly answers: IdempotentAnswersRepository,
    private readonly shuttingDown: ShuttingDown,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      // After the one before, should that take longer than the pause.
      this.sweeping = this.sweeping.then(() => this.sweep());
    }, EVERY_MS).unref();
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }

  /** Deletes what has expired by now. @returns how many answers; a failure is logged, and the next time is soon enough */
  async sweep(): Promise<number> {
    const now = this.clock();
    let total = 0;
    try {
      while (!this.shuttingDown.signal.aborted) {
        const deleted = await this.answers.deleteExpired(now, BATCH);
        total += deleted;
        if (deleted < BATCH) break;
      }
    } catch (error) {
      this.log.warn({ err: error }, 'expired idempotent answers were not deleted');
    }
    return total;
  }
}
