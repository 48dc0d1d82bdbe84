import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK } from '../../platform/providers.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** Long enough to investigate a key after its revocation. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1_000;

const EVERY_MS = 60 * 60 * 1_000;
const BATCH = 500;

/** Deletes keys 90 days after they were revoked or expired, with the rows that reference them. */
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
