import { Controller, Inject } from '@nestjs/common';
import type { DomainEvents } from '@pets/contracts';
import { OnEvent } from '@pets/messaging';
import type { Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { DATABASE, LOG } from '../platform/providers.js';
import { IssuanceOutcomes, type PreparedCertificate } from '../certificates/issuance-outcomes.service.js';
import { OpenOrders } from '../certificates/open-orders.service.js';
import { DomainsRepository } from '../names/domains.repository.js';
import { PlatformCertificateOutcomes } from '../certificates/platform/platform-certificate-outcomes.service.js';
import { LifecycleService } from './lifecycle.service.js';
import { ResultInterpreter } from './result-interpreter.js';

/** Receives what a CA answered. The platform certificate is of no domain. */
@Controller()
export class CertificateEventsController {
  constructor(
    private readonly lifecycle: LifecycleService,
    private readonly outcomes: IssuanceOutcomes,
    private readonly orders: OpenOrders,
    private readonly domains: DomainsRepository,
    private readonly interpreter: ResultInterpreter,
    private readonly platform: PlatformCertificateOutcomes,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  /** Accepted from the current attempt only: an order of another one would not be the row's. */
  @OnEvent('certificate.ordered')
  async onOrdered(event: DomainEvents['certificate.ordered']): Promise<void> {
    if (this.platform.concerns(event)) return this.platform.ordered(event);
    const { domainId, generation, attempt } = event;
    if (!(await this.orders.store(event)))
      this.log.info({ domainId, generation, attempt }, 'order of an outdated attempt dropped');
  }

  @OnEvent('certificate.pending')
  async onPending(event: DomainEvents['certificate.pending']): Promise<void> {
    if (this.platform.concerns(event)) return this.platform.pending(event);
    await this.lifecycle.applyResult('issuance', event, { type: 'certificate.pending', event });
  }

  @OnEvent('certificate.issued')
  async onIssued(event: DomainEvents['certificate.issued']): Promise<void> {
    if (this.platform.concerns(event)) return this.platform.issued(event);
    const prepared = await this.outcomes.prepare(event);
    const findings = { type: 'certificate.issued', event, prepared } as const;
    try {
      const { isOutdated } = await this.lifecycle.applyResult('issuance', event, findings);
      if (isOutdated && prepared !== null) await this.storeForRemoved(event, prepared);
    } finally {
      if (prepared !== null) await this.outcomes.release(prepared);
    }
  }

  @OnEvent('certificate.failed')
  async onFailed(event: DomainEvents['certificate.failed']): Promise<void> {
    if (this.platform.concerns(event)) return this.platform.failed(event);
    const pausedUntil = await this.outcomes.pauseRefused(event);
    await this.lifecycle.applyResult('issuance', event, { type: 'certificate.failed', event, pausedUntil });
  }

  @OnEvent('renewal_info.fetched')
  async onRenewalInfo(event: DomainEvents['renewal_info.fetched']): Promise<void> {
    if (this.platform.concerns(event)) return this.platform.renewalInfoFetched(event);
    await this.lifecycle.applyResult('renewal_info', event, { type: 'renewal_info.fetched', event });
  }

  /** The CA has issued a certificate for a domain that was removed meanwhile: it is stored, so that it can be revoked. */
  private async storeForRemoved(
    event: DomainEvents['certificate.issued'],
    prepared: PreparedCertificate,
  ): Promise<void> {
    await this.db.transaction().execute(async (tx) => {
      const domain = (await this.domains.listLocked(tx, [event.domainId])).get(event.domainId);
      if (domain?.state === 'removed') await this.interpreter.recordIssued(tx, domain, event, prepared, new Date());
    });
  }
}
