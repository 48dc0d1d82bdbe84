import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK } from '../../platform/providers.js';
import { RevocationsRepository } from './revocations.repository.js';

const HOUR_MS = 60 * 60 * 1_000;
/** How long after the expiry of its certificate a revocation is kept; the history of the domain keeps its lines. */
const KEPT_MS = 30 * 24 * HOUR_MS;

const BATCH = 500;

/** Deletes the revocations of certificates that expired long ago. */
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
      failure: 'old revocations not deleted',
      clear: (limit) => this.revocations.deleteExpired(new Date(this.clock().getTime() - KEPT_MS), limit),
    });
  }
}
