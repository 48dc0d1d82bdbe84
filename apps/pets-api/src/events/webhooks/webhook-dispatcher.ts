/**
 * Turns due deliveries into jobs, as `domains/dispatcher.ts` does with the clocks of domains: claim (which commits), then
 * one `addBulk`. If the process dies in between, the lease runs out and the row is claimed again. A job is added under its
 * attempt number, which nobody else gets, and a worker drops it after its lease: no two replicas send the same attempt.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { Messaging, WebhookJob } from '@pets/messaging';
import type { NotificationListener } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import { KeyCheck } from '../../platform/encryption-keys/key-check.js';
import { CLOCK, LOG, MESSAGING, NOTIFICATIONS } from '../../platform/providers.js';
import { ShuttingDown } from '../../platform/shutting-down.js';
import { PollLoop } from '../../platform/poll-loop.js';
import { WebhookJobBuilder } from './webhook-job-builder.js';
import { WebhookOutcomes } from './webhook-outcomes.service.js';
import { WebhookWorkRepository, type ClaimedDelivery } from './webhook-work.repository.js';

const POLL_MS = 1_000;
const BATCH = 200;

/** With this many jobs waiting the worker is behind or away: rows stay due instead of heaping up as jobs. */
const MAX_WAITING = 500;

/** Under load everything wakes the dispatcher; the next round is so far off that it finds several at once. */
const PAUSE_MS = 20;

/** When the queue could not take jobs, their rows are claimable again after this. */
const RELEASE_SECONDS = 2;

@Injectable()
export class WebhookDispatcher extends PollLoop {
  constructor(
    private readonly work: WebhookWorkRepository,
    private readonly builder: WebhookJobBuilder,
    private readonly outcomes: WebhookOutcomes,
    private readonly keys: KeyCheck,
    shuttingDown: ShuttingDown,
    @Inject(MESSAGING) private readonly messaging: Messaging,
    @Inject(NOTIFICATIONS) notifications: NotificationListener,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Logger,
  ) {
    const failure = 'dispatching webhooks failed, trying again';
    const looking = { channel: 'webhook_deliveries', pollMs: POLL_MS, pauseMs: PAUSE_MS, failure } as const;
    super(looking, notifications, shuttingDown, log);
  }

  protected override async round(signal: AbortSignal): Promise<void> {
    // A replica with wrong keys leaves the rows to the others: it could not sign.
    while (!signal.aborted && this.keys.isUsable && (await this.messaging.webhooks.waitingCount()) < MAX_WAITING) {
      const claims = await this.work.claimDue(BATCH);
      if (claims.length > 0) await this.dispatch(claims);
      if (claims.length < BATCH) return;
    }
  }

  private async dispatch(claims: readonly ClaimedDelivery[]): Promise<void> {
    const jobs = (await Promise.all(claims.map((claim) => this.build(claim)))).filter((job) => job !== null);
    try {
      await this.messaging.webhooks.addBulk(jobs);
    } catch (error) {
      this.log.error({ err: error, claims: jobs.length }, 'webhooks could not be dispatched, their rows are released');
      // Should the queue have taken them all the same, they are sent under an attempt that counts no more.
      await this.work
        .release(
          jobs.map(({ payload }) => payload),
          RELEASE_SECONDS,
        )
        .catch((cause: unknown) => this.log.error({ err: cause }, 'release failed; the leases run out'));
    }
  }

  /** Null for one that cannot be signed, since its secret was damaged: that is a try as well, and has failed. */
  private async build(claim: ClaimedDelivery): Promise<WebhookJob | null> {
    const now = this.clock();
    try {
      return this.builder.build(claim, now);
    } catch (error) {
      const { deliveryId, attempt, endpointId } = claim;
      this.log.error({ err: error, deliveryId, endpointId }, 'a webhook could not be signed');
      const nothing = { status: null, durationMs: 0, retryAt: null, bodyStart: null };
      const failed = 'the request could not be signed: give the endpoint a new secret';
      await this.outcomes.apply({ deliveryId, attempt, at: now.toISOString(), error: failed, ...nothing });
      return null;
    }
  }
}
