import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { WebhookJobs } from '@pets/contracts';
import type { Config } from '../config.js';
import { FactEmitter } from '../facts/fact-emitter.js';
import { CONFIG } from '../providers.js';
import { ReceiverAddresses } from './receiver-addresses.js';
import { createReceiverAgent } from './receiver-agent.js';
import { sendWebhook } from './send-webhook.js';

/** Sends what the API has signed, and tells what came back. Whether that is a delivery is not decided here. */
@Injectable()
export class WebhooksService implements OnApplicationShutdown {
  private readonly agent;

  constructor(
    @Inject(CONFIG) config: Pick<Config, 'ALLOW_PRIVATE_WEBHOOK_TARGETS'>,
    private readonly facts: FactEmitter,
  ) {
    this.agent = createReceiverAgent(new ReceiverAddresses({ allowsPrivate: config.ALLOW_PRIVATE_WEBHOOK_TARGETS }));
  }

  async deliver(job: WebhookJobs['deliver-webhook'], signal: AbortSignal): Promise<void> {
    const { deliveryId, attempt } = job;
    const shown = await sendWebhook(this.agent, job, signal);
    await this.facts.emit('webhook.attempted', { deliveryId, attempt, ...shown }, signal);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.agent.destroy();
  }
}
