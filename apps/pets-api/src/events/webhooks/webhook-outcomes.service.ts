import { Controller, Inject, Injectable } from '@nestjs/common';
import type { DomainEvents } from '@pets/contracts';
import { evaluateAttempt, isTimeout, shouldDisableEndpoint, type AttemptVerdict } from '@pets/domains';
import { OnEvent } from '@pets/messaging';
import type { Database, Tx } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import type { Clock } from '../../platform/clock.js';
import { ApiMetrics } from '../../platform/metrics/api-metrics.js';
import { CLOCK, DATABASE, LOG } from '../../platform/providers.js';
import { WebhookEndpointsRepository } from './webhook-endpoints.repository.js';
import { WebhookStatisticsRepository } from './webhook-statistics.repository.js';
import { WebhookWorkRepository, type DeliveryFacts } from './webhook-work.repository.js';

type Attempted = DomainEvents['webhook.attempted'];

/**
 * Applies the result of an attempt to its delivery, in one transaction. A result of an outdated attempt, or a repeated one,
 * frees the slot of its request and changes nothing else.
 */
@Injectable()
export class WebhookOutcomes {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly work: WebhookWorkRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly statistics: WebhookStatisticsRepository,
    private readonly metrics: ApiMetrics,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  async apply(attempted: Attempted): Promise<void> {
    const applied = await this.db.transaction().execute(async (tx) => {
      const facts = await this.work.lock(tx, attempted);
      if (facts === null || facts.attempt !== attempted.attempt) return null;
      const now = this.clock();
      const verdict = evaluateAttempt(attempted, facts.failures, Math.random(), now);
      const error = verdict.kind === 'delivered' ? null : verdict.error;
      if (!(await this.work.recordAttempt(tx, attempted, error))) return null;
      await this.write(tx, attempted, facts, verdict, now);
      const { at, durationMs } = attempted;
      await this.statistics.count(tx, facts.endpointId, { at: new Date(at), kind: verdict.kind, durationMs });
      return verdict.kind;
    });
    if (applied !== null) return this.metrics.webhookAttempt(applied);
    const { deliveryId, attempt } = attempted;
    this.log.info({ deliveryId, attempt, reason: 'stale' }, 'result dropped');
  }

  private async write(
    tx: Tx,
    { deliveryId, at, ...attempted }: Attempted,
    facts: DeliveryFacts,
    verdict: AttemptVerdict,
    now: Date,
  ): Promise<void> {
    const failure = { dueAt: null, at: new Date(at), isTimeout: isTimeout(attempted) };
    switch (verdict.kind) {
      case 'delivered':
        return this.work.markDelivered(tx, deliveryId, facts, now);
      case 'retry':
        return this.work.markFailed(tx, deliveryId, facts, { ...failure, dueAt: verdict.dueAt });
      case 'exhausted':
        await this.work.markFailed(tx, deliveryId, facts, failure);
        if (shouldDisableEndpoint(facts.failingSince, now))
          await this.endpoints.disable(tx, facts.endpointId, 'failing', now);
        return;
      case 'gone':
        await this.work.markFailed(tx, deliveryId, facts, failure);
        return this.endpoints.disable(tx, facts.endpointId, 'gone', now);
    }
  }
}

/** Results of webhook attempts, from the worker. */
@Controller()
export class WebhookEventsController {
  constructor(private readonly outcomes: WebhookOutcomes) {}

  @OnEvent('webhook.attempted')
  async onAttempted(event: DomainEvents['webhook.attempted']): Promise<void> {
    await this.outcomes.apply(event);
  }
}
