import type { CaAccount, CaAccountRef } from './ca-accounts.js';
import { caAccountId, rankAccounts } from './ca-accounts.js';
import {
  evaluateBudget,
  isCounted,
  isOfAccount,
  type BudgetUsage,
  type LimitKind,
  type NameLimitKind,
  type OrderFacts,
} from './ca-limits.js';
import type { CaCandidate } from './choose-ca.js';
import { orderRank, type OrderRank } from './order-queue.js';
import { freeSlots, slotAt, type OrderSlots } from './order-slots.js';
import type { ValidityPeriod } from './renewal.js';
import type { UsableAccount } from './usable-accounts.js';

/** The domain that a certificate is for. */
export interface CertificateSubject {
  readonly domainId: string;
  readonly name: string;
  readonly apexName: string;
}

/** The failures of a CA for a domain and an account since the domain's last certificate. */
export interface CaRecord {
  readonly domainId: string;
  readonly directoryUrl: string;
  readonly account: string;
  /** Attempts that failed for reasons of the CA, without those that it refused by its limits. */
  readonly failures: number;
  /** Attempts that it refused by its limits. */
  readonly refusals: number;
  readonly retryAt: Date | null;
  /** An order that named the certificate it replaces failed: the CA may refuse that name in another order. */
  readonly isReplacementDoubtful: boolean;
}

/** Pauses that CAs have asked for and that have not ended. */
export interface CaPauses {
  /** When the pause of an account ends; null without one. */
  ofAccount(account: CaAccountRef): Date | null;
  /** The same of a registered domain, for all accounts. */
  ofApex(directoryUrl: string, apexName: string): Date | null;
}

/** The newest certificate of a domain. */
interface CurrentCertificate extends CaAccountRef, ValidityPeriod {
  /** RFC 9773 §4.1; null for a leaf without an authority key identifier. */
  readonly identifier: string | null;
}

/** The queue of an account, as far as it concerns some domains. */
export interface QueueState {
  /** Slots that were given to orders of any domain and are not used yet. */
  readonly given: number;
  /** Domains that have one of them. */
  readonly givenTo: ReadonlySet<string>;
  /** Orders that wait, counted to `MAX_COUNTED`. */
  readonly waiting: number;
}

/** An account that limits new orders: its slots, and the orders that wait for them. */
export interface OrderAccount extends OrderSlots, QueueState {}

/** The stored attempts and certificates of some domains at the accounts that may be used. */
export interface CaFacts {
  /** In the configured order. */
  readonly accounts: readonly UsableAccount[];
  /** By domain id. */
  readonly newest: ReadonlyMap<string, CurrentCertificate>;
  readonly records: readonly CaRecord[];
  /** `<directory> <name>` */
  readonly renewals: ReadonlySet<string>;
  /** By `usageKey`. */
  readonly usage: ReadonlyMap<string, readonly Date[]>;
  /** By account id; without those that limit no orders. */
  readonly slots: ReadonlyMap<string, OrderAccount>;
  /** Slots of lost attempts that go to their successors: `<account id> <domain id>`. */
  readonly inherited: ReadonlySet<string>;
  readonly pauses: CaPauses;
  readonly now: Date;
}

/** The queue is served about this often. */
const QUEUE_ROUND_MS = 1_000;

/** An order at a CA, with the facts that its limits depend on. */
export interface PossibleOrder extends OrderFacts {
  /** Identifier of the certificate it replaces. */
  readonly replaces: string | null;
}

/** The candidate accounts of each domain of a batch. Orders that the batch has reserved count towards the limits. */
export class CaSelection {
  readonly #facts: CaFacts;
  readonly #records: ReadonlyMap<string, readonly CaRecord[]>;
  readonly #reserved = new Map<string, Date[]>();
  /** Slots that this batch uses, and orders that it adds to the queue, by account. */
  readonly #used = new Map<string, number>();
  readonly #queued = new Map<string, number>();

  constructor(facts: CaFacts) {
    this.#facts = facts;
    this.#records = Map.groupBy(facts.records, ({ domainId, directoryUrl }) => `${directoryUrl} ${domainId}`);
  }

  /** In the order of preference: the account of the certificate that is renewed, then by the shares. */
  candidatesFor(subject: CertificateSubject): CaCandidate[] {
    const { pauses, now } = this.#facts;
    return this.#preferred(subject).map((account): CaCandidate => {
      const { directoryUrl, limits } = account;
      const records = this.#recordsOf(directoryUrl, subject);
      const own = records.filter((record) => record.account === account.account);
      const retryTimes = records.flatMap(({ retryAt }) => retryAt ?? []);
      return {
        directoryUrl,
        account: account.account,
        failures: sum(records.map(({ failures }) => failures)) + sum(own.map(({ refusals }) => refusals)),
        retryAt: retryTimes.toSorted((one, other) => other.getTime() - one.getTime())[0] ?? null,
        accountPausedUntil: pauses.ofAccount(account),
        apexPausedUntil: pauses.ofApex(directoryUrl, subject.apexName),
        budget: evaluateBudget(
          limits,
          this.#usageOf(account, subject),
          this.#slotAt(account, subject),
          this.orderFor(subject, account),
          now,
        ),
      };
    });
  }

  /**
   * An order at the account of the current certificate names it as replaced while it is valid (RFC 9773 §5). After such an
   * order has failed, later ones do not: the CA may consider the certificate replaced already, and would refuse every order.
   */
  orderFor(subject: CertificateSubject, account: CaAccountRef): PossibleOrder {
    const { domainId, name } = subject;
    const newest = this.#facts.newest.get(domainId);
    const isDoubtful = this.#recordsOf(account.directoryUrl, subject).some(
      (record) => record.account === account.account && record.isReplacementDoubtful,
    );
    const isReplaceable =
      newest !== undefined &&
      caAccountId(newest) === caAccountId(account) &&
      newest.notAfter > this.#facts.now &&
      !isDoubtful;
    const replaces = isReplaceable ? newest.identifier : null;
    return {
      replaces,
      isReplacement: replaces !== null,
      isRenewal: this.#facts.renewals.has(`${account.directoryUrl} ${name}`),
    };
  }

  rankOf({ domainId }: CertificateSubject): OrderRank {
    return orderRank(this.#facts.newest.get(domainId), this.#facts.now);
  }

  /** That the route has to name for an order of the account; null for that of the feed. */
  thumbprintOf(account: CaAccountRef): string | null {
    return this.#find(account)?.thumbprint ?? null;
  }

  /** Attempts for the name that count towards the limit of the exact set, with a new one; null without the limit. */
  usesWith(subject: CertificateSubject, account: CaAccountRef): number | null {
    const configured = this.#find(account);
    const times = configured && this.#usageOf(configured, subject).exact_set;
    return times === undefined ? null : times.length + 1;
  }

  /** Counts an order of this batch towards the limits for the rest of the batch. */
  reserve(subject: CertificateSubject, account: CaAccountRef): void {
    const order = this.orderFor(subject, account);
    if (isCounted('orders', order) && !this.#hasSlot(account, subject)) increment(this.#used, caAccountId(account));
    for (const kind of ['registered_domain', 'exact_set', 'failures'] as const) {
      if (!isCounted(kind, order)) continue;
      const key = usageKey(kind, account, subject);
      const times = this.#reserved.get(key) ?? [];
      times.push(this.#facts.now);
      this.#reserved.set(key, times);
    }
  }

  /** Counts an order of this batch that has to wait. */
  enqueue(account: CaAccountRef): void {
    increment(this.#queued, caAccountId(account));
  }

  /** A renewal stays at its account, which alone may replace the certificate; not at one that only takes over. */
  #preferred({ domainId }: CertificateSubject): readonly CaAccount[] {
    const ranked = rankAccounts(this.#facts.accounts, domainId);
    const newest = this.#facts.newest.get(domainId);
    const current = newest && ranked.find((account) => caAccountId(account) === caAccountId(newest));
    if (current === undefined || current.share === 0) return ranked;
    return [current, ...ranked.filter((account) => account !== current)];
  }

  #find(account: CaAccountRef): UsableAccount | undefined {
    return this.#facts.accounts.find((one) => caAccountId(one) === caAccountId(account));
  }

  #recordsOf(directoryUrl: string, { domainId }: CertificateSubject): readonly CaRecord[] {
    return this.#records.get(`${directoryUrl} ${domainId}`) ?? [];
  }

  #hasSlot(account: CaAccountRef, { domainId }: CertificateSubject): boolean {
    const id = caAccountId(account);
    const isGiven = this.#facts.slots.get(id)?.givenTo.has(domainId) === true;
    return isGiven || this.#facts.inherited.has(`${id} ${domainId}`);
  }

  /** When the account has a slot; null if it has one now. While orders wait, later ones wait behind them. */
  #slotAt(account: CaAccountRef, subject: CertificateSubject): Date | null {
    const id = caAccountId(account);
    const slots = this.#facts.slots.get(id);
    if (slots === undefined || this.#hasSlot(account, subject)) return null;
    const { now } = this.#facts;
    const taken = slots.given + (this.#used.get(id) ?? 0);
    const waiting = slots.waiting + (this.#queued.get(id) ?? 0);
    if (waiting === 0 && freeSlots(slots, taken, now) > 0) return null;
    const soonest = now.getTime() + QUEUE_ROUND_MS;
    return new Date(Math.max(soonest, slotAt(slots, taken + waiting, now).getTime()));
  }

  #usageOf(account: CaAccount, subject: CertificateSubject): BudgetUsage {
    const timesOf = (kind: NameLimitKind) => {
      const key = usageKey(kind, account, subject);
      return [...(this.#facts.usage.get(key) ?? []), ...(this.#reserved.get(key) ?? [])];
    };
    return Object.fromEntries(account.limits.flatMap(({ kind }) => (kind === 'orders' ? [] : [[kind, timesOf(kind)]])));
  }
}

/** What attempts are counted by: the account or the CA, and the name or the registered domain. */
function usageKey(kind: NameLimitKind, account: CaAccountRef, subject: CertificateSubject): string {
  return `${usageScope(kind, account)} ${subjectOf(kind, subject)}`;
}

export function usageScope(kind: LimitKind, account: CaAccountRef): string {
  return isOfAccount(kind) ? caAccountId(account) : account.directoryUrl;
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The subject that a limit counts for: a name, or a registered domain. */
function subjectOf(kind: NameLimitKind, { name, apexName }: CertificateSubject): string {
  switch (kind) {
    case 'registered_domain':
      return `${kind} ${apexName}`;
    case 'exact_set':
    case 'failures':
      return `${kind} ${name}`;
  }
}
