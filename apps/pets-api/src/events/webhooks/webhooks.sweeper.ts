import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { BackgroundTasks } from '../../platform/background-tasks.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK } from '../../platform/providers.js';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository.js';

const HOUR_MS = 60 * 60 * 1_000;

const BATCH = 500;

/** How long a delivery can be read and replayed. */
const KEPT_MS = 30 * 24 * HOUR_MS;

/** Deletes old deliveries in any state: their retries end after three days. */
@Injectable()
export class WebhooksSweeper implements OnModuleInit {
  constructor(
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly tasks: BackgroundTasks,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.tasks.repeat(HOUR_MS, () => this.sweep());
  }

  sweep(): Promise<number> {
    return this.tasks.sweep({
      batch: BATCH,
      failure: 'old webhook deliveries not deleted',
      clear: (limit) => this.deliveries.deleteOlderThan(new Date(this.clock().getTime() - KEPT_MS), limit),
    });
  }
}
