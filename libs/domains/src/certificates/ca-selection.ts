import {
  evaluateBudget,
  isCounted,
  type BudgetUsage,
  type ConfiguredCa,
  type NameLimitKind,
  type OrderFacts,
} from './ca-limits.js';
import type { CaCandidate } from './choose-ca.js';
import { freeSlots, orderRank, slotAt, type OrderRank, type OrderSlots } from './order-queue.js';
import type { ValidityPeriod } from './renewal.js';

/** The domain that a certificate is for. */
export interface CertificateSubject {
  readonly domainId: string;
  readonly name: string;
  readonly apexName: string;
}

/** The failures of a CA for a domain since the domain's last certificate. */
export interface CaRecord {
  readonly domainId: string;
  readonly directoryUrl: string;
  /** Attempts that failed for reasons of the CA. */
  readonly failures: number;
  readonly retryAt: Date | null;
  /** An order that named the certificate it replaces failed: the CA may refuse that name in another order. */
  readonly isReplacementDoubtful: boolean;
}

/** Pauses that CAs have asked for and that have not ended. */
export interface CaPauses {
  /** When the pause of our account at a CA ends; null without one. */
  ofAccount(directoryUrl: string): Date | null;
  /** The same of a registered domain. */
  ofApex(directoryUrl: string, apexName: string): Date | null;
}

/** The newest certificate of a domain. */
interface CurrentCertificate extends ValidityPeriod {
  readonly directoryUrl: string;
  /** Thumbprint of the key that ordered it (RFC 7638). */
  readonly accountThumbprint: string;
  /** RFC 9773 §4.1; null for a leaf without an authority key identifier. */
  readonly identifier: string | null;
}

/** The line of a CA in the queue, as far as it concerns some domains. */
export interface QueueState {
  /** Slots that were given to orders of any domain and are not used yet. */
  readonly given: number;
  /** Domains that have one of them. */
  readonly givenTo: ReadonlySet<string>;
  /** Orders that wait, counted to `MAX_COUNTED`. */
  readonly waiting: number;
}

/** A CA that limits new orders: its slots, and the orders that wait for them. */
export interface CaSlots extends OrderSlots, QueueState {}

/** Orders in the line of a CA, or with a slot, that will count towards the limit of a registered domain. */
export interface AdmittedOrders {
  readonly count: number;
  /** Orders of domains of the batch. */
  readonly own: ReadonlySet<string>;
}

/** The stored attempts and certificates of some domains at the CAs that may be used. */
export interface CaFacts {
  /** In the configured order. */
  readonly cas: readonly ConfiguredCa[];
  /** Thumbprint of the key that orders now; null before a worker has announced one. */
  readonly accountThumbprint: string | null;
  /** Newest certificate of each domain, by domain id. */
  readonly newest: ReadonlyMap<string, CurrentCertificate>;
  readonly records: readonly CaRecord[];
  /** `<directory> <name>` */
  readonly renewals: ReadonlySet<string>;
  /** Times of the attempts that count towards a limit, by `usageKey`. */
  readonly usage: ReadonlyMap<string, readonly Date[]>;
  /** CAs that limit orders, by directory. */
  readonly slots: ReadonlyMap<string, CaSlots>;
  /** Admitted orders, by `<directory> <registered domain>`. */
  readonly admitted: ReadonlyMap<string, AdmittedOrders>;
  /** Slots of lost attempts that go to their successors: `<directory> <domain id>`. */
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

/** The candidate CAs of each domain of a batch. Orders that the batch has reserved count towards the limits. */
export class CaSelection {
  readonly #facts: CaFacts;
  readonly #records: ReadonlyMap<string, CaRecord>;
  readonly #reserved = new Map<string, Date[]>();
  /** Slots that this batch uses, and orders that it adds to the queue, by directory. */
  readonly #used = new Map<string, number>();
  readonly #queued = new Map<string, number>();
  /** Domains whose orders this batch has counted. */
  readonly #counted = new Set<string>();

  constructor(facts: CaFacts) {
    this.#facts = facts;
    this.#records = new Map(facts.records.map((record) => [`${record.directoryUrl} ${record.domainId}`, record]));
  }

  /** Returns the CAs in the configured order, each with its state for the domain. */
  candidatesFor(subject: CertificateSubject): CaCandidate[] {
    const { cas, pauses, now } = this.#facts;
    return cas.map((ca): CaCandidate => {
      const { directoryUrl, limits } = ca;
      const record = this.#recordOf(directoryUrl, subject);
      return {
        directoryUrl,
        failures: record?.failures ?? 0,
        retryAt: record?.retryAt ?? null,
        accountPausedUntil: pauses.ofAccount(directoryUrl),
        apexPausedUntil: pauses.ofApex(directoryUrl, subject.apexName),
        refusals: evaluateBudget(
          limits,
          this.#usageOf(ca, subject),
          this.#slotAt(directoryUrl, subject),
          this.orderFor(subject, directoryUrl),
          now,
        ),
      };
    });
  }

  /**
   * An order of the account that has the current certificate names it as replaced while it is valid (RFC 9773 §5). After such
   * an order has failed, later ones do not: the CA may consider the certificate replaced already, and would refuse every order.
   */
  orderFor(subject: CertificateSubject, directoryUrl: string): PossibleOrder {
    const { domainId, name } = subject;
    const newest = this.#facts.newest.get(domainId);
    const isReplaceable =
      newest?.directoryUrl === directoryUrl &&
      newest.accountThumbprint === this.#facts.accountThumbprint &&
      newest.notAfter > this.#facts.now &&
      this.#recordOf(directoryUrl, subject)?.isReplacementDoubtful !== true;
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
    const ca = this.#facts.cas.find((one) => one.directoryUrl === directoryUrl);
    const times = ca && this.#usageOf(ca, subject).exact_set;
    return times === undefined ? null : times.length + 1;
  }

  /** Counts an order of this batch towards the limits for the rest of the batch. */
  reserve(subject: CertificateSubject, directoryUrl: string): void {
    const order = this.orderFor(subject, directoryUrl);
    if (isCounted('orders', order) && !this.#hasSlot(directoryUrl, subject)) increment(this.#used, directoryUrl);
    this.#count(['registered_domain', 'exact_set', 'failures'], order, subject, directoryUrl);
  }

  /** Counts an order of this batch that waits for a slot: its registered domain keeps room for it. */
  enqueue(subject: CertificateSubject, directoryUrl: string): void {
    increment(this.#queued, directoryUrl);
    this.#count(['registered_domain'], this.orderFor(subject, directoryUrl), subject, directoryUrl);
  }

  #count(kinds: readonly NameLimitKind[], order: OrderFacts, subject: CertificateSubject, directoryUrl: string): void {
    this.#counted.add(subject.domainId);
    for (const kind of kinds.filter((one) => isCounted(one, order))) {
      const key = usageKey(kind, directoryUrl, subject);
      const times = this.#reserved.get(key) ?? [];
      times.push(this.#facts.now);
      this.#reserved.set(key, times);
    }
  }

  #recordOf(directoryUrl: string, { domainId }: CertificateSubject): CaRecord | undefined {
    return this.#records.get(`${directoryUrl} ${domainId}`);
  }

  #hasSlot(directoryUrl: string, { domainId }: CertificateSubject): boolean {
    const isGiven = this.#facts.slots.get(directoryUrl)?.givenTo.has(domainId) === true;
    return isGiven || this.#facts.inherited.has(`${directoryUrl} ${domainId}`);
  }

  /** When the CA has a slot; null if it has one now. While orders wait, later ones wait behind them. */
  #slotAt(directoryUrl: string, subject: CertificateSubject): Date | null {
    const slots = this.#facts.slots.get(directoryUrl);
    if (slots === undefined || this.#hasSlot(directoryUrl, subject)) return null;
    const { now } = this.#facts;
    const taken = slots.given + (this.#used.get(directoryUrl) ?? 0);
    const waiting = slots.waiting + (this.#queued.get(directoryUrl) ?? 0);
    if (waiting === 0 && freeSlots(slots, taken, now) > 0) return null;
    const soonest = now.getTime() + QUEUE_ROUND_MS;
    return new Date(Math.max(soonest, slotAt(slots, taken + waiting, now).getTime()));
  }

  #usageOf({ directoryUrl, limits }: ConfiguredCa, subject: CertificateSubject): BudgetUsage {
    const timesOf = (kind: NameLimitKind, max: number) => {
      const key = usageKey(kind, directoryUrl, subject);
      const waiting = kind === 'registered_domain' ? Math.min(this.#countOthers(directoryUrl, subject), max) : 0;
      const expected = Array.from({ length: waiting }, () => this.#facts.now);
      return [...(this.#facts.usage.get(key) ?? []), ...expected, ...(this.#reserved.get(key) ?? [])];
    };
    return Object.fromEntries(
      limits.flatMap(({ kind, max }) => (kind === 'orders' ? [] : [[kind, timesOf(kind, max)]])),
    );
  }

  /** Admitted orders below the registered domain, without that of the domain itself and those that the batch has counted. */
  #countOthers(directoryUrl: string, { domainId, apexName }: CertificateSubject): number {
    const admitted = this.#facts.admitted.get(`${directoryUrl} ${apexName}`);
    if (admitted === undefined) return 0;
    const known = [...admitted.own].filter((id) => id === domainId || this.#counted.has(id));
    return admitted.count - known.length;
  }
}

/** Key by which attempts are counted: the CA, and the name or the registered domain. */
function usageKey(kind: NameLimitKind, directoryUrl: string, subject: CertificateSubject): string {
  return `${directoryUrl} ${subjectOf(kind, subject)}`;
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
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
