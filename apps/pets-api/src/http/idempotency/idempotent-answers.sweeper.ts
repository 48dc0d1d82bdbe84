import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK } from '../../platform/providers.js';
import { IdempotentAnswersRepository } from './idempotent-answers.repository.js';

const EVERY_MS = 10 * 60 * 1_000;
const BATCH = 1_000;

/** Deletes expired responses. They are ignored from their expiry on. */
@Injectable()
export class IdempotentAnswersSweeper implements OnModuleInit {
  constructor(
    private readonly answers: IdempotentAnswersRepository,
    private readonly tasks: BackgroundTasks,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat(EVERY_MS, () => this.sweep());
  }

  sweep(): Promise<number> {
    return this.tasks.sweep({
      batch: BATCH,
      failure: 'deleting expired idempotent answers failed',
      clear: (limit) => this.answers.deleteExpired(this.clock(), limit),
    });
  }
}
