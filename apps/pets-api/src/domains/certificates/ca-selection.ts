import {
  caLimitsOf,
  isCounted,
  evaluateBudget,
  type BudgetUsage,
  type CaCandidate,
  type CaLimit,
  type OrderFacts,
} from '@pets/domains';
import type { IssuedCertificate } from './certificates.repository.js';
import { subjectOf, type CertificateSubject, type CaRecord } from './ledger.repository.js';

/** What is known of the configured CAs with regard to some domains, from the ledger. */
export interface LedgerFacts {
  /** In the configured order. */
  readonly directoryUrls: readonly string[];
  /** By domain id. */
  readonly newest: ReadonlyMap<string, IssuedCertificate>;
  readonly records: readonly CaRecord[];
  /** `<directory> <name>` */
  readonly renewals: ReadonlySet<string>;
  /** By directory, then by limit and subject. */
  readonly usage: ReadonlyMap<string, ReadonlyMap<string, readonly Date[]>>;
  readonly now: Date;
}

/** An order at a CA, as its limits see it. */
export interface PossibleOrder extends OrderFacts {
  /** Identifier of the certificate it replaces. */
  readonly replaces: string | null;
}

/** Where each CA stands with each domain of a round. What the round has reserved so far counts as well. */
export class CaSelection {
  private readonly records: ReadonlyMap<string, CaRecord>;
  private readonly reserved = new Map<string, Date[]>();

  constructor(private readonly facts: LedgerFacts) {
    this.records = new Map(facts.records.map((record) => [`${record.directoryUrl} ${record.domainId}`, record]));
  }

  candidatesFor(applicant: CertificateSubject): CaCandidate[] {
    return this.facts.directoryUrls.map((directoryUrl): CaCandidate => {
      const record = this.records.get(`${directoryUrl} ${applicant.domainId}`);
      const limits = caLimitsOf(directoryUrl);
      const usage = this.usageOf(directoryUrl, limits, applicant);
      return {
        directoryUrl,
        failures: record?.failures ?? 0,
        retryAt: record?.retryAt ?? null,
        budget: evaluateBudget(limits, usage, this.orderFor(applicant, directoryUrl), this.facts.now),
      };
    });
  }

  /**
   * A certificate is named as replaced where its own CA is asked while it is valid (RFC 9773 §5). Once such an order has
   * come to nothing it is not named again: a CA may hold it for replaced already, and would refuse for ever.
   */
  orderFor({ domainId, name }: CertificateSubject, directoryUrl: string): PossibleOrder {
    const newest = this.facts.newest.get(domainId);
    const isDoubtful = this.records.get(`${directoryUrl} ${domainId}`)?.isReplacementDoubtful ?? false;
    const isReplaceable =
      newest !== undefined && newest.directoryUrl === directoryUrl && newest.notAfter > this.facts.now && !isDoubtful;
    const replaces = isReplaceable ? newest.identifier : null;
    return {
      replaces,
      isReplacement: replaces !== null,
      isRenewal: this.facts.renewals.has(`${directoryUrl} ${name}`),
    };
  }

  /** Counts an order that was decided on in this round against those that are still to be decided. */
  reserve(applicant: CertificateSubject, directoryUrl: string): void {
    const order = this.orderFor(applicant, directoryUrl);
    for (const { kind } of caLimitsOf(directoryUrl).filter(({ kind }) => isCounted(kind, order))) {
      const key = `${directoryUrl} ${subjectOf(kind, applicant)}`;
      const times = this.reserved.get(key) ?? [];
      times.push(this.facts.now);
      this.reserved.set(key, times);
    }
  }

  private usageOf(directoryUrl: string, limits: readonly CaLimit[], applicant: CertificateSubject): BudgetUsage {
    const used = this.facts.usage.get(directoryUrl);
    return Object.fromEntries(
      limits.map(({ kind }) => {
        const subject = subjectOf(kind, applicant);
        const reserved = this.reserved.get(`${directoryUrl} ${subject}`) ?? [];
        return [kind, [...(used?.get(subject) ?? []), ...reserved]];
      }),
    );
  }
}
