import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { DomainEvents } from '@pets/contracts';
import { EventContext, OnEvent } from '@pets/messaging';
import type { Database } from '@pets/persistence';
import type { Logger } from '@pets/platform';
import { IssuanceOutcomes, type PreparedCertificate } from '../certificates/issuance-outcomes.service.js';
import { OpenOrders } from '../certificates/open-orders.service.js';
import { PlatformCertificateOutcomes } from '../certificates/platform/platform-certificate-outcomes.service.js';
import { DomainsRepository } from '../names/domains.repository.js';
import { EdgeProbes } from '../names/edge-ports.js';
import { ApiMetrics } from '../platform/metrics/api-metrics.js';
import { DATABASE, LOG } from '../platform/providers.js';
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

/** Receives what the worker found in the DNS. */
@Controller()
export class DnsEventsController {
  constructor(private readonly lifecycle: LifecycleService) {}

  @OnEvent('dns.checked')
  async onDnsChecked(@Payload() event: DomainEvents['dns.checked'], @Ctx() { isAwaited }: EventContext): Promise<void> {
    await this.lifecycle.applyResult('dns', event, { type: 'dns.checked', event }, { isAwaited });
  }

  @OnEvent('domain.reverified')
  async onReverified(
    @Payload() event: DomainEvents['domain.reverified'],
    @Ctx() { isAwaited }: EventContext,
  ): Promise<void> {
    await this.lifecycle.applyResult('reverify', event, { type: 'domain.reverified', event }, { isAwaited });
  }
}

/** Receives the certificates that the edges presented to the worker. */
@Controller()
export class ProbeEventsController {
  constructor(
    private readonly lifecycle: LifecycleService,
    private readonly metrics: ApiMetrics,
    private readonly probes: EdgeProbes,
  ) {}

  @OnEvent('certificate.served')
  async onServed(event: DomainEvents['certificate.served']): Promise<void> {
    const { change } = await this.lifecycle.applyResult('probe', event, { type: 'certificate.served', event });
    if (change?.from === 'verified' && change.to === 'live') this.metrics.wentLive(change, new Date());
  }

  @OnEvent('certificate.not_served')
  async onNotServed(event: DomainEvents['certificate.not_served']): Promise<void> {
    await this.lifecycle.applyResult('probe', event, { type: 'certificate.not_served', event });
  }

  /** About the edges: changes no domain. */
  @OnEvent('edges.probed')
  async onProbed(event: DomainEvents['edges.probed']): Promise<void> {
    await this.probes.record(event);
  }
}
