import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import { CLOCK, LOG } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { Sweeper } from '../../platform/sweeper.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';

const HOUR_MS = 60 * 60 * 1_000;

const settings = { everyMs: HOUR_MS, batch: 500, failure: 'old webhook deliveries were not deleted' } as const;

/** How long a delivery can be looked at and replayed. */
const KEPT_MS = 30 * 24 * HOUR_MS;

/** Deletes deliveries that are old, whatever became of them: the tries of one last three days. */
@Injectable()
export class WebhooksSweeper extends Sweeper {
  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    shuttingDown: ShuttingDown,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Logger,
  ) {
    super(settings, shuttingDown, log);
  }

  protected sweepSome(batch: number): Promise<number> {
    return this.deliveries.deleteOlderThan(new Date(this.clock().getTime() - KEPT_MS), batch);
  }
}
