import {
  caLimitsOf,
  evaluateBudget,
  isCounted,
  type BudgetUsage,
  type CaCandidate,
  type CaLimit,
  type CaLimits,
  type OrderFacts,
} from '@pets/domains';
import { subjectOf, type CaRecord, type CertificateSubject } from './certificate-attempts.repository.js';
import type { IssuedCertificate } from './certificates.repository.js';

/** The stored attempts and certificates of some domains at the configured CAs. */
export interface CaFacts {
  /** In the configured order. */
  readonly directoryUrls: readonly string[];
  readonly configured: CaLimits;
  /** By domain id. */
  readonly newest: ReadonlyMap<string, IssuedCertificate>;
  readonly records: readonly CaRecord[];
  /** `<directory> <name>` */
  readonly renewals: ReadonlySet<string>;
  /** By directory, then by the subject of the limit. */
  readonly usage: ReadonlyMap<string, ReadonlyMap<string, readonly Date[]>>;
  readonly now: Date;
}

/** An order at a CA, with the facts that its limits depend on. */
export interface PossibleOrder extends OrderFacts {
  /** Identifier of the certificate it replaces. */
  readonly replaces: string | null;
}

/** The candidate CAs of each domain of a batch. Orders that the batch has reserved count towards the limits. */
export class CaSelection {
  readonly #facts: CaFacts;
  readonly #records: ReadonlyMap<string, CaRecord>;
  readonly #reserved = new Map<string, Date[]>();

  constructor(facts: CaFacts) {
    this.#facts = facts;
    this.#records = new Map(facts.records.map((record) => [`${record.directoryUrl} ${record.domainId}`, record]));
  }

  candidatesFor(subject: CertificateSubject): CaCandidate[] {
    return this.#facts.directoryUrls.map((directoryUrl): CaCandidate => {
      const record = this.#records.get(`${directoryUrl} ${subject.domainId}`);
      const limits = caLimitsOf(directoryUrl, this.#facts.configured);
      const usage = this.#usageOf(directoryUrl, limits, subject);
      return {
        directoryUrl,
        failures: record?.failures ?? 0,
        retryAt: record?.retryAt ?? null,
        budget: evaluateBudget(limits, usage, this.orderFor(subject, directoryUrl), this.#facts.now),
      };
    });
  }

  /**
   * An order at the CA of the current certificate names it as replaced while it is valid (RFC 9773 §5). After such an order
   * has failed, later ones do not: the CA may consider the certificate replaced already, and would refuse every order.
   */
  orderFor({ domainId, name }: CertificateSubject, directoryUrl: string): PossibleOrder {
    const newest = this.#facts.newest.get(domainId);
    const isDoubtful = this.#records.get(`${directoryUrl} ${domainId}`)?.isReplacementDoubtful ?? false;
    const isReplaceable =
      newest !== undefined && newest.directoryUrl === directoryUrl && newest.notAfter > this.#facts.now && !isDoubtful;
    const replaces = isReplaceable ? newest.identifier : null;
    return {
      replaces,
      isReplacement: replaces !== null,
      isRenewal: this.#facts.renewals.has(`${directoryUrl} ${name}`),
    };
  }

  /** Counts an order of this batch towards the limits for the rest of the batch. */
  reserve(subject: CertificateSubject, directoryUrl: string): void {
    const order = this.orderFor(subject, directoryUrl);
    for (const { kind } of caLimitsOf(directoryUrl, this.#facts.configured).filter(({ kind }) =>
      isCounted(kind, order),
    )) {
      const key = `${directoryUrl} ${subjectOf(kind, subject)}`;
      const times = this.#reserved.get(key) ?? [];
      times.push(this.#facts.now);
      this.#reserved.set(key, times);
    }
  }

  #usageOf(directoryUrl: string, limits: readonly CaLimit[], subject: CertificateSubject): BudgetUsage {
    const used = this.#facts.usage.get(directoryUrl);
    return Object.fromEntries(
      limits.map(({ kind }) => {
        const key = subjectOf(kind, subject);
        const reserved = this.#reserved.get(`${directoryUrl} ${key}`) ?? [];
        return [kind, [...(used?.get(key) ?? []), ...reserved]];
      }),
    );
  }
}
