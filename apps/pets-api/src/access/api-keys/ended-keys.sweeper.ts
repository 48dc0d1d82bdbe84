import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import { CLOCK, LOG } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { Sweeper } from '../../platform/sweeper.js';
import { ApiKeysRepository } from './api-keys.repository.js';

/** Long enough to find out what a key was for after it was revoked. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1_000;

const settings = {
  everyMs: 60 * 60 * 1_000,
  batch: 500,
  failure: 'API keys that ended long ago were not deleted',
} as const;

/** Deletes keys 90 days after they were revoked or expired, with what refers to them. Nothing depends on when. */
@Injectable()
export class EndedKeysSweeper extends Sweeper {
  constructor(
    private readonly keys: ApiKeysRepository,
    shuttingDown: ShuttingDown,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Logger,
  ) {
    super(settings, shuttingDown, log);
  }

  protected sweepSome(batch: number): Promise<number> {
    return this.keys.deleteEndedBefore(new Date(this.clock().getTime() - KEPT_MS), batch);
  }
}
