import { Inject, Injectable } from '@nestjs/common';
import type { DomainEvents } from '@pets/contracts';
import {
  classifyFailure,
  interpretDnsCheck,
  interpretNotServed,
  interpretRenewalInfo,
  interpretReverify,
  otherProofs,
  ownershipHostFor,
  type CheckContext,
  type DomainTrigger,
} from '@pets/domains';
import type { Tx } from '@pets/persistence';
import { CertificatesRepository } from '../certificates/certificates.repository.js';
import { IssuanceOutcomes, type PreparedCertificate } from '../certificates/issuance-outcomes.service.js';
import { RevocationsService } from '../certificates/revocations/revocations.service.js';
import type { DomainChange, DomainRow } from '../names/domain-row.js';
import { DomainsRepository } from '../names/domains.repository.js';
import { expectedDnsOf } from '../names/expected-dns.js';
import { PublicAddresses } from '../names/public-addresses.js';
import type { Config } from '../platform/config.js';
import { CONFIG } from '../platform/providers.js';

/** The findings of an attempt: an event of the worker, with what was prepared for it before the transaction. */
export type AttemptFindings =
  | Reported<'dns.checked' | 'domain.reverified' | 'certificate.pending' | 'renewal_info.fetched'>
  | Reported<'certificate.served' | 'certificate.not_served'>
  | (Reported<'certificate.issued'> & {
      /** Null for an attempt that is not known. */
      readonly prepared: PreparedCertificate | null;
    })
  | (Reported<'certificate.failed'> & {
      /** The end of the pause that the CA asks for. */
      readonly pausedUntil: Date | null;
    })
  /** The API decided it without a job. */
  | { readonly type: 'decided'; readonly trigger: DomainTrigger };

type Reported<Name extends keyof DomainEvents> = {
  [Each in Name]: { readonly type: Each; readonly event: DomainEvents[Each] };
}[Name];

/** The trigger that findings mean for a domain, and the fields that they change in addition. */
export interface Interpretation {
  readonly trigger: DomainTrigger;
  readonly change?: DomainChange;
}

/**
 * Interprets findings with the functions of `@pets/domains`: reads what they need, and records the result of an order, in the
 * transaction that applies them.
 */
@Injectable()
export class ResultInterpreter {
  constructor(
    private readonly domains: DomainsRepository,
    private readonly certificates: CertificatesRepository,
    private readonly outcomes: IssuanceOutcomes,
    private readonly revocations: RevocationsService,
    private readonly addresses: PublicAddresses,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** @returns null when the findings change nothing */
  async interpret(tx: Tx, domain: DomainRow, findings: AttemptFindings, now: Date): Promise<Interpretation | null> {
    switch (findings.type) {
      case 'dns.checked':
        return this.interpretCheck(tx, domain, findings.event, now);
      case 'domain.reverified': {
        const { event } = findings;
        const context = this.contextOf(domain, event.findings.zone, now);
        const { trigger, observations } = interpretReverify(domain, event, context);
        return { trigger, change: observations };
      }
      case 'certificate.not_served':
        return { trigger: interpretNotServed(findings.event) };
      case 'certificate.served':
        return { trigger: { type: 'certificate.served' } };
      case 'decided':
        return { trigger: findings.trigger };
      case 'renewal_info.fetched': {
        const newest = (await this.certificates.findNewest([domain.id], tx)).get(domain.id);
        return triggered(interpretRenewalInfo(findings.event, newest?.identifier));
      }
      case 'certificate.pending':
        return triggered(await this.outcomes.pending(tx, domain, findings.event, now));
      case 'certificate.issued': {
        const { event, prepared } = findings;
        return triggered(prepared && (await this.recordIssued(tx, domain, event, prepared, now)));
      }
      case 'certificate.failed':
        return triggered(await this.recordFailed(tx, domain, findings, now));
    }
  }

  /**
   * Stores a certificate. That of a domain that was removed meanwhile is never served, and is revoked if another organization has
   * the name.
   */
  async recordIssued(
    tx: Tx,
    domain: DomainRow,
    event: DomainEvents['certificate.issued'],
    prepared: PreparedCertificate,
    now: Date,
  ): Promise<DomainTrigger | null> {
    const trigger = await this.outcomes.issued(tx, subjectOf(domain), event, prepared, now);
    if (domain.state === 'removed') await this.revocations.requestOfLost(tx, domain.id, now);
    return trigger;
  }

  private async interpretCheck(
    tx: Tx,
    domain: DomainRow,
    { findings }: DomainEvents['dns.checked'],
    now: Date,
  ): Promise<Interpretation> {
    const values = otherProofs(findings, ownershipHostFor(domain.name), domain.ownershipToken);
    const others = await this.domains.listProofsOfOthers(tx, domain, values);
    const context = this.contextOf(domain, findings.zone, now);
    const { trigger, observations } = interpretDnsCheck(domain, findings, others, context);
    return { trigger, change: observations };
  }

  private async recordFailed(
    tx: Tx,
    domain: DomainRow,
    { event, pausedUntil }: Extract<AttemptFindings, { type: 'certificate.failed' }>,
    now: Date,
  ): Promise<DomainTrigger | null> {
    if (event.order === 'gone') return this.outcomes.gone(tx, subjectOf(domain), event, now);
    const failure = classifyFailure(event, expectedDnsOf(domain, this.config, this.addresses.expected));
    return this.outcomes.failed(tx, subjectOf(domain), event, { failure, pausedUntil }, now);
  }

  /** @param zone of the newest answer, which says whether the name is the apex of a zone; null if that is unknown */
  private contextOf(domain: DomainRow, zone: string | null, now: Date): CheckContext {
    return {
      expected: expectedDnsOf({ ...domain, zone: zone ?? domain.zone }, this.config, this.addresses.expected),
      addresses: this.addresses.listed,
      now,
    };
  }
}

function triggered(trigger: DomainTrigger | null): Interpretation | null {
  return trigger && { trigger };
}

function subjectOf({ id, name, apexName }: DomainRow) {
  return { domainId: id, name, apexName };
}
