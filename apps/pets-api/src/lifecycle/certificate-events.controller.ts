import { Controller, Inject } from '@nestjs/common';
import type { DomainEvents } from '@pets/contracts';
import { classifyFailure } from '@pets/domains';
import { OnEvent } from '@pets/messaging';
import type { Database } from '@pets/persistence';
import type { Config } from '../platform/config.js';
import type { Logger } from '@pets/platform';
import { CONFIG, DATABASE, LOG } from '../platform/providers.js';
import { CertificatesRepository } from '../certificates/certificates.repository.js';
import { IssuanceOutcomes } from '../certificates/issuance-outcomes.service.js';
import { OpenOrders } from '../certificates/open-orders.service.js';
import type { DomainRow } from '../names/domain-row.js';
import { DomainsRepository } from '../names/domains.repository.js';
import { expectedDnsOf } from '../names/expected-dns.js';
import { PlatformCertificateOutcomes } from '../certificates/platform/platform-certificate-outcomes.service.js';
import { PublicAddresses } from '../names/public-addresses.js';
import { RevocationsService } from '../certificates/revocations/revocations.service.js';
import { LifecycleService } from './lifecycle.service.js';

/**
 * What a CA answered. Like the results of the DNS, each becomes a trigger; `transition` decides. The platform certificate is of no
 * domain.
 */
@Controller()
export class CertificateEventsController {
  constructor(
    private readonly lifecycle: LifecycleService,
    private readonly certificates: CertificatesRepository,
    private readonly outcomes: IssuanceOutcomes,
    private readonly orders: OpenOrders,
    private readonly revocations: RevocationsService,
    private readonly domains: DomainsRepository,
    private readonly platform: PlatformCertificateOutcomes,
    private readonly addresses: PublicAddresses,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Config,
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
    await this.lifecycle.applyResult('issuance', event, async (tx, domain, now) => {
      const trigger = await this.outcomes.pending(tx, domain, event, now);
      return trigger && { trigger };
    });
  }

  /**
   * The certificate of a domain that was removed meanwhile is stored, and never served. It is revoked if another organization
   * has the name.
   */
  @OnEvent('certificate.issued')
  async onIssued(event: DomainEvents['certificate.issued']): Promise<void> {
    if (this.platform.concerns(event)) return this.platform.issued(event);
    const prepared = await this.outcomes.prepare(event);
    let isOutdated = true;
    try {
      await this.lifecycle.applyResult('issuance', event, async (tx, domain, now) => {
        isOutdated = false;
        if (prepared === null) return null;
        const trigger = await this.outcomes.issued(tx, subjectOf(domain), event, prepared, now);
        if (domain.state === 'removed') await this.revocations.requestOfLost(tx, domain.id, now);
        return trigger && { trigger };
      });
    } finally {
      if (prepared !== null) await this.outcomes.release(prepared);
    }
    if (isOutdated && prepared !== null)
      await this.db.transaction().execute(async (tx) => {
        const domain = (await this.domains.listLocked(tx, [event.domainId])).get(event.domainId);
        if (domain?.state !== 'removed') return;
        const now = new Date();
        await this.outcomes.issued(tx, subjectOf(domain), event, prepared, now);
        await this.revocations.requestOfLost(tx, domain.id, now);
      });
  }

  @OnEvent('certificate.failed')
  async onFailed(event: DomainEvents['certificate.failed']): Promise<void> {
    if (this.platform.concerns(event)) return this.platform.failed(event);
    const pausedUntil = await this.outcomes.pauseRefused(event);
    await this.lifecycle.applyResult('issuance', event, async (tx, domain, now) => {
      if (event.order === 'gone') {
        const trigger = await this.outcomes.gone(tx, subjectOf(domain), event, now);
        return trigger && { trigger };
      }
      const failure = classifyFailure(event, expectedDnsOf(domain, this.config, this.addresses.expected));
      const trigger = await this.outcomes.failed(tx, subjectOf(domain), event, { failure, pausedUntil }, now);
      return trigger && { trigger };
    });
  }

  @OnEvent('renewal_info.fetched')
  async onRenewalInfo(event: DomainEvents['renewal_info.fetched']): Promise<void> {
    if (this.platform.concerns(event)) return this.platform.renewalInfoFetched(event);
    const { window, explanationUrl, retryAt, problem } = event;
    await this.lifecycle.applyResult('renewal_info', event, async (tx, { id }) => {
      // The window of a certificate that was replaced meanwhile would have the new one renewed at once.
      const newest = (await this.certificates.findNewest([id], tx)).get(id);
      if (newest?.identifier !== event.certificateIdentifier) return null;
      return {
        trigger: {
          type: 'renewal_info.fetched',
          window: window === null ? null : { start: new Date(window.start), end: new Date(window.end) },
          explanationUrl,
          retryAt: retryAt === null ? null : new Date(retryAt),
          hasFailed: problem !== null,
        },
      };
    });
  }
}

function subjectOf({ id, name, apexName }: DomainRow) {
  return { domainId: id, name, apexName };
}
