import { Inject, Injectable } from '@nestjs/common';
import type { DomainEvents } from '@pets/contracts';
import type { WebhookJob } from '@pets/messaging';
import { unseal, type Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config.js';
import { webhookSecretBinding } from '../../platform/encryption-keys/bindings.js';
import { KeyCheck } from '../../platform/encryption-keys/key-check.js';
import type { Built } from '../../platform/lease-dispatcher.js';
import { CLOCK, CONFIG, LOG } from '../../platform/providers.js';
import { signWebhook } from './sign-webhook.js';
import type { ClaimedDelivery } from './webhook-claim.query.js';

/** A delivery that cannot be signed gets a failed attempt instead of a job. */
export type BuiltDeliveries = Built<ClaimedDelivery, WebhookJob, DomainEvents['webhook.attempted']>;

/** Builds the jobs of due deliveries. Each is signed for its attempt here, so that no job contains a secret. */
@Injectable()
export class WebhookJobBuilder {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'CERTIFICATE_KEKS'>,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly keys: KeyCheck,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** A replica with wrong keys cannot open any secret. */
  get canSign(): boolean {
    return this.keys.isUsable;
  }

  build(claims: readonly ClaimedDelivery[]): BuiltDeliveries {
    const built = claims.map((claim) => this.buildOne(claim));
    return { jobs: built.flatMap(({ jobs }) => jobs), answers: built.flatMap(({ answers }) => answers) };
  }

  private buildOne(claim: ClaimedDelivery): BuiltDeliveries {
    const now = this.clock();
    try {
      return { jobs: [{ claim, job: this.sign(claim, now) }], answers: [] };
    } catch (error) {
      const { deliveryId, attempt, endpointId } = claim;
      this.log.error({ err: error, deliveryId, endpointId }, 'webhook signing failed');
      const noResponse = {
        status: null,
        durationMs: 0,
        retryAt: null,
        bodyStart: null,
        requestHeaders: null,
        responseHeaders: null,
      };
      const reason = 'the request could not be signed: rotate the secret of the endpoint';
      const answer = { deliveryId, attempt, at: now.toISOString(), error: reason, ...noResponse };
      return { jobs: [], answers: [{ claim, answer }] };
    }
  }

  /** @throws Error when a secret does not open */
  private sign(claim: ClaimedDelivery, now: Date): WebhookJob {
    const { deliveryId, attempt, leaseUntil, endpointId, url, body, secrets } = claim;
    const opened = secrets.map(({ id, sealed }) =>
      unseal(this.config.CERTIFICATE_KEKS, sealed, webhookSecretBinding(id, endpointId)),
    );
    const headers = signWebhook({ id: deliveryId, body, sentAt: now }, opened);
    const payload = { deliveryId, attempt, leaseUntil: leaseUntil.toISOString(), url, headers, body };
    return { name: 'deliver-webhook', payload };
  }
}
