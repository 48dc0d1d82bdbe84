import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import { CLOCK, LOG } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { Sweeper } from '../../platform/sweeper.js';
import { RevocationsRepository } from './revocations.repository.js';

const HOUR_MS = 60 * 60 * 1_000;
/** How long after the expiry of its certificate a revocation is kept; the domain's history says of it for ever. */
const KEPT_MS = 30 * 24 * HOUR_MS;

const settings = { everyMs: HOUR_MS, batch: 500, failure: 'old revocations were not deleted' } as const;

/** Deletes revocations whose certificates expired long ago, so that the table holds what can still matter. */
@Injectable()
export class RevocationsSweeper extends Sweeper {
  constructor(
    private readonly revocations: RevocationsRepository,
    shuttingDown: ShuttingDown,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Logger,
  ) {
    super(settings, shuttingDown, log);
  }

  protected sweepSome(batch: number): Promise<number> {
    return this.revocations.deleteExpired(new Date(this.clock().getTime() - KEPT_MS), batch);
  }
}
