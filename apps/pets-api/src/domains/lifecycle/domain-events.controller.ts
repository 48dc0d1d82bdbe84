import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import type { DnsFindings, DomainEvents, ExpectedDns } from '@pets/contracts';
import {
  classifyFailure,
  evaluateWww,
  evaluateDns,
  evaluateOwnership,
  observedRecords,
  ownershipHostFor,
  requiresOwnershipProof,
  type OwnershipVerdict,
} from '@pets/domains';
import { EventContext, OnEvent } from '@pets/messaging';
import type { Database } from '@pets/persistence';
import type { Config } from '../../platform/config.js';
import { ApiMetrics } from '../../platform/metrics/api-metrics.js';
import { CONFIG, DATABASE } from '../../platform/providers.js';
import { AcmeAccountsService } from '../certificates/acme-accounts.service.js';
import { CertificatesRepository } from '../certificates/certificates.repository.js';
import { IssuanceOutcomes } from '../certificates/issuance-outcomes.service.js';
import type { DomainChange, DomainRow } from '../domain-row.js';
import { expectedDnsOf } from '../expected-dns.js';
import { RevocationsService } from '../revocations/revocations.service.js';
import { LifecycleService } from './lifecycle.service.js';

/**
 * Facts from the worker. Each handler turns a fact into a trigger; what becomes of the domain is decided by
 * `transition`, and whether the fact still counts by the lifecycle's fence.
 */
@Controller()
export class DomainEventsController {
  constructor(
    private readonly lifecycle: LifecycleService,
    private readonly certificates: CertificatesRepository,
    private readonly outcomes: IssuanceOutcomes,
    private readonly accounts: AcmeAccountsService,
    private readonly revocations: RevocationsService,
    private readonly metrics: ApiMetrics,
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @OnEvent('dns.checked')
  async onDnsChecked(event: DomainEvents['dns.checked']): Promise<void> {
    const { findings } = event;
    await this.lifecycle.applyResult('dns', event, (_tx, domain, now) => {
      const expected = this.expectedOf(domain);
      const host = ownershipHostFor(domain.name);
      const token = domain.ownershipToken;
      const verdict = wasLookedUp(host, findings) ? evaluateOwnership(findings, host, token) : REFUTED;
      const dns = evaluateDns(findings, expected);
      const isRequired = requiresOwnershipProof({
        isApex: expected.isApex,
        hasOtherClaims: domain.hasOtherClaims,
        dns,
        www: evaluateWww(findings, expected),
      });
      const ownership = isRequired ? { verdict, host, token } : null;
      return {
        trigger: {
          type: 'dns.checked',
          dns,
          ownership,
          isClaimedElsewhere: domain.isClaimedElsewhere,
        },
        change: {
          ...observationsOf(findings, expected),
          ...(domain.state === 'awaiting_dns' && proofChange(ownership?.verdict, now)),
        },
      };
    });
  }

  @OnEvent('domain.reverified')
  async onReverified(event: DomainEvents['domain.reverified']): Promise<void> {
    const { findings, caa } = event;
    await this.lifecycle.applyResult('reverify', event, (_tx, domain) => {
      const expected = this.expectedOf(domain);
      return {
        trigger: { type: 'domain.reverified', dns: evaluateDns(findings, expected), caa },
        change: observationsOf(findings, expected),
      };
    });
  }

  @OnEvent('certificate.issued')
  async onIssued(event: DomainEvents['certificate.issued']): Promise<void> {
    const prepared = await this.outcomes.prepare(event);
    let isOutdated = true;
    try {
      await this.lifecycle.applyResult('issuance', event, async (tx, domain, now) => {
        isOutdated = false;
        if (prepared === null) return null;
        const trigger = await this.outcomes.issued(tx, subjectOf(domain), event, prepared, now);
        return trigger && { trigger };
      });
    } finally {
      if (prepared !== null) await this.outcomes.release(prepared);
    }
    if (isOutdated && prepared !== null) {
      const { csrPem } = prepared;
      await this.db.transaction().execute((tx) => this.revocations.requestOfLate(tx, event, csrPem, new Date()));
    }
  }

  @OnEvent('certificate.failed')
  async onFailed(event: DomainEvents['certificate.failed']): Promise<void> {
    await this.lifecycle.applyResult('issuance', event, async (tx, domain, now) => {
      const failure = classifyFailure(event, this.expectedOf(domain));
      return { trigger: await this.outcomes.failed(tx, subjectOf(domain), event, failure, now) };
    });
  }

  @OnEvent('renewal_info.fetched')
  async onRenewalInfo(event: DomainEvents['renewal_info.fetched']): Promise<void> {
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

  @OnEvent('certificate.served')
  async onServed(event: DomainEvents['certificate.served']): Promise<void> {
    let becomesLive: (() => void) | undefined;
    await this.lifecycle.applyResult('probe', event, (_tx, { state, createdAt: addedAt, verifiedAt }, now) => {
      if (state === 'verified') becomesLive = () => this.metrics.wentLive({ addedAt, verifiedAt }, now);
      return { trigger: { type: 'certificate.served' } };
    });
    becomesLive?.();
  }

  @OnEvent('certificate.not_served')
  async onNotServed(event: DomainEvents['certificate.not_served']): Promise<void> {
    const seen =
      event.seen.length === 0 ? ['no edge is reachable'] : event.seen.map(({ edgeId, error }) => `${edgeId}: ${error}`);
    await this.lifecycle.applyResult('probe', event, () => ({ trigger: { type: 'certificate.not_served', seen } }));
  }

  @OnEvent('account.ready')
  async onAccountReady(
    @Payload() event: DomainEvents['account.ready'],
    @Ctx() { sentAt }: EventContext,
  ): Promise<void> {
    await this.accounts.remember(event, sentAt);
  }

  private expectedOf(domain: DomainRow) {
    return expectedDnsOf(domain, this.config.PLATFORM_DOMAIN);
  }
}

function subjectOf({ id, name, apexName }: DomainRow) {
  return { domainId: id, name, apexName };
}

/** The fields that a DNS check changes besides the verdict. Unknown name servers stay unchanged. */
function observationsOf(findings: DnsFindings, { targetHost }: ExpectedDns): DomainChange {
  const { checkedAt, nameServers } = findings;
  return {
    checkedAt: new Date(checkedAt),
    observed: observedRecords(findings, targetHost),
    ...(nameServers !== undefined && { nameServers }),
  };
}

const REFUTED: OwnershipVerdict = { kind: 'refuted' };

/** A check may have started before another organization had the name; then its job included no proof. */
function wasLookedUp(host: string, { lookups }: DnsFindings): boolean {
  return lookups.some(({ name, type }) => type === 'TXT' && name === host);
}

/** A proof is not needed after verification, and most owners remove the record then. */
function proofChange(verdict: OwnershipVerdict | undefined, now: Date): DomainChange {
  switch (verdict?.kind) {
    case 'proven':
      return { ownershipProvenAt: now };
    case 'refuted':
      return { ownershipProvenAt: null };
    case 'unknown':
    case undefined:
      return {};
  }
}
