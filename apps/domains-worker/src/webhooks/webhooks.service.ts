import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { WebhookJobs } from '@pets/contracts';
import type { Config } from '../config.js';
import { EventSender } from '../events/event-sender.js';
import { CONFIG } from '../providers.js';
import { createReceiverAgent, ReceiverAddresses } from './receiver-agent.js';
import { sendWebhook } from './send-webhook.js';

/** Sends the request that the API has signed and reports the response. The API decides whether it was delivered. */
@Injectable()
export class WebhooksService implements OnApplicationShutdown {
  private readonly agent;

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'ALLOW_PRIVATE_WEBHOOK_TARGETS'>,
    private readonly events: EventSender,
  ) {
    this.agent = createReceiverAgent(new ReceiverAddresses({ allowsPrivate: config.ALLOW_PRIVATE_WEBHOOK_TARGETS }));
  }

  async deliver(job: WebhookJobs['deliver-webhook'], signal: AbortSignal): Promise<void> {
    const { deliveryId, attempt } = job;
    const result = await sendWebhook(this.agent, job, signal);
    await this.events.send('webhook.attempted', { deliveryId, attempt, ...result }, signal);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }
}
