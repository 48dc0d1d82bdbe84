import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { CLOCK } from '../../platform/providers.js';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** Long enough to find out what a key was for after it was revoked. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1_000;

const EVERY_MS = 60 * 60 * 1_000;
const BATCH = 500;

/** Deletes keys 90 days after they were revoked or expired, with what refers to them. Nothing depends on when. */
@Injectable()
export class EndedKeysSweeper implements OnModuleInit {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly tasks: BackgroundTasks,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat(EVERY_MS, () => this.sweep());
  }

  sweep(): Promise<number> {
    return this.tasks.sweep({
      batch: BATCH,
      failure: 'deleting ended API keys failed',
      clear: (limit) => this.keys.deleteEndedBefore(new Date(this.clock().getTime() - KEPT_MS), limit),
    });
  }
}
