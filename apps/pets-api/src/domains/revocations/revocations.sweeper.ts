import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { CLOCK } from '../../platform/providers.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { RevocationsRepository } from './revocations.repository.js';

const HOUR_MS = 60 * 60 * 1_000;
/** How long after the expiry of its certificate a revocation is kept; the domain's history says of it for ever. */
const KEPT_MS = 30 * 24 * HOUR_MS;

const BATCH = 500;

/** Deletes revocations whose certificates expired long ago, so that the table holds what can still matter. */
@Injectable()
export class RevocationsSweeper implements OnModuleInit {
  constructor(
    private readonly revocations: RevocationsRepository,
    private readonly tasks: BackgroundTasks,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat(HOUR_MS, () => this.sweep());
  }

  sweep(): Promise<number> {
    return this.tasks.sweep({
      batch: BATCH,
      failure: 'old revocations were not deleted',
      clear: (limit) => this.revocations.deleteExpired(new Date(this.clock().getTime() - KEPT_MS), limit),
    });
  }
}
