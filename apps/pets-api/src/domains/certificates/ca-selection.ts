import {
  caLimitsOf,
  evaluateBudget,
  freeSlots,
  isCounted,
  orderRank,
  slotAt,
  type BudgetUsage,
  type CaCandidate,
  type CaLimit,
  type CaLimits,
  type NameLimitKind,
  type OrderFacts,
  type OrderRank,
} from '@pets/domains';
import { subjectOf } from './ca-usage.repository.js';
import type { CaRecord, CertificateSubject } from './certificate-attempts.repository.js';
import type { IssuedCertificate } from './certificates.repository.js';
import type { OrderAccount } from './order-accounts.js';

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
  /** By directory; without those that limit no orders. */
  readonly accounts: ReadonlyMap<string, OrderAccount>;
  /** Slots of lost attempts that go to their successors: `<directory> <domain id>`. */
  readonly inherited: ReadonlySet<string>;
  readonly now: Date;
}

/** The queue is served about this often. */
const QUEUE_ROUND_MS = 1_000;

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
  /** Slots that this batch uses, and orders that it adds to the queue, by directory. */
  readonly #used = new Map<string, number>();
  readonly #queued = new Map<string, number>();

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
        budget: evaluateBudget(
          limits,
          usage,
          this.#slotAt(directoryUrl, subject),
          this.orderFor(subject, directoryUrl),
          this.#facts.now,
        ),
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

  rankOf({ domainId }: CertificateSubject): OrderRank {
    return orderRank(this.#facts.newest.get(domainId), this.#facts.now);
  }

  /** Attempts for the name that count towards the limit of the exact set, with a new one; null without the limit. */
  usesWith(subject: CertificateSubject, directoryUrl: string): number | null {
    const limits = caLimitsOf(directoryUrl, this.#facts.configured);
    const times = this.#usageOf(directoryUrl, limits, subject).exact_set;
    return times === undefined ? null : times.length + 1;
  }

  /** Counts an order of this batch towards the limits for the rest of the batch. */
  reserve(subject: CertificateSubject, directoryUrl: string): void {
    const order = this.orderFor(subject, directoryUrl);
    if (isCounted('orders', order) && !this.#hasSlot(directoryUrl, subject)) increment(this.#used, directoryUrl);
    for (const { kind } of caLimitsOf(directoryUrl, this.#facts.configured)) {
      if (kind === 'orders' || !isCounted(kind, order)) continue;
      const key = `${directoryUrl} ${subjectOf(kind, subject)}`;
      const times = this.#reserved.get(key) ?? [];
      times.push(this.#facts.now);
      this.#reserved.set(key, times);
    }
  }

  /** Counts an order of this batch that has to wait. */
  enqueue(directoryUrl: string): void {
    increment(this.#queued, directoryUrl);
  }

  #hasSlot(directoryUrl: string, { domainId }: CertificateSubject): boolean {
    const isGiven = this.#facts.accounts.get(directoryUrl)?.givenTo.has(domainId) ?? false;
    return isGiven || this.#facts.inherited.has(`${directoryUrl} ${domainId}`);
  }

  /** When the account has a slot; null if it has one now. While orders wait, later ones wait behind them. */
  #slotAt(directoryUrl: string, subject: CertificateSubject): Date | null {
    const account = this.#facts.accounts.get(directoryUrl);
    if (account === undefined || this.#hasSlot(directoryUrl, subject)) return null;
    const { now } = this.#facts;
    const taken = account.given + (this.#used.get(directoryUrl) ?? 0);
    const waiting = account.waiting + (this.#queued.get(directoryUrl) ?? 0);
    if (waiting === 0 && freeSlots(account, taken, now) > 0) return null;
    const soonest = now.getTime() + QUEUE_ROUND_MS;
    return new Date(Math.max(soonest, slotAt(account, taken + waiting, now).getTime()));
  }

  #usageOf(directoryUrl: string, limits: readonly CaLimit[], subject: CertificateSubject): BudgetUsage {
    const used = this.#facts.usage.get(directoryUrl);
    const timesOf = (kind: NameLimitKind) => {
      const key = subjectOf(kind, subject);
      return [...(used?.get(key) ?? []), ...(this.#reserved.get(`${directoryUrl} ${key}`) ?? [])];
    };
    return Object.fromEntries(limits.flatMap(({ kind }) => (kind === 'orders' ? [] : [[kind, timesOf(kind)]])));
  }
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
