import { Inject, Injectable } from '@nestjs/common';
import type { WebhookJob } from '@pets/messaging';
import { unseal } from '@pets/platform';
import type { Config } from '../../platform/config.js';
import { CONFIG } from '../../platform/providers.js';
import { signWebhook } from './sign-webhook.js';
import { webhookSecretBinding } from '../../platform/encryption-keys/bindings.js';
import type { ClaimedDelivery } from './webhook-work.repository.js';

/** Makes a claim a job: signed for this try, with the secret left here. */
@Injectable()
export class WebhookJobBuilder {
  constructor(@Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS'>) {}

  /** @throws Error when a secret does not open */
  build({ deliveryId, attempt, leaseUntil, endpointId, url, body, secrets }: ClaimedDelivery, now: Date): WebhookJob {
    const opened = secrets.map(({ id, sealed }) =>
      unseal(this.config.CERTIFICATE_KEKS, sealed, webhookSecretBinding(id, endpointId)),
    );
    const headers = signWebhook({ id: deliveryId, body, sentAt: now }, opened);
    const payload = { deliveryId, attempt, leaseUntil: leaseUntil.toISOString(), url, headers, body };
    return { name: 'deliver-webhook', payload };
  }
}
