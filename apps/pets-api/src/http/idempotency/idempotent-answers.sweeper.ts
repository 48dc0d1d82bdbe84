import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import { CLOCK, LOG } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { Sweeper } from '../../platform/sweeper.js';
import { IdempotentAnswersRepository } from './idempotent-answers.repository.js';

const settings = {
  everyMs: 10 * 60 * 1_000,
  batch: 1_000,
  failure: 'expired idempotent answers were not deleted',
} as const;

/** Deletes expired answers: an expired answer is none, deleted or not. */
@Injectable()
export class IdempotentAnswersSweeper extends Sweeper {
  constructor(
    private readonly answers: IdempotentAnswersRepository,
    shuttingDown: ShuttingDown,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Logger,
  ) {
    super(settings, shuttingDown, log);
  }

  protected sweepSome(batch: number): Promise<number> {
    return this.answers.deleteExpired(this.clock(), batch);
  }
}
