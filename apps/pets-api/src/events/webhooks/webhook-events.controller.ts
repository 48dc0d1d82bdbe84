import { Controller } from '@nestjs/common';
import type { DomainEvents } from '@pets/contracts';
import { OnEvent } from '@pets/messaging';
import { WebhookOutcomes } from './webhook-outcomes.service.js';

/** Results of webhook attempts, from the worker. */
@Controller()
export class WebhookEventsController {
  constructor(private readonly outcomes: WebhookOutcomes) {}

  @OnEvent('webhook.attempted')
  async onAttempted(event: DomainEvents['webhook.attempted']): Promise<void> {
    await this.outcomes.apply(event);
  }
}
