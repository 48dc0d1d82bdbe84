import type {
  CaaVerdict,
  CertificateAlert,
  ChallengeMethod,
  DomainIssue,
  DomainJobName,
  DomainState,
  ExpectedDelegation,
  RecordConflict,
} from '@pets/contracts';
import type { ClassifiedFailure } from '../certificates/classify-failure.js';
import type { ValidityPeriod } from '../certificates/renewal.js';
import type { DelegationVerdict } from '../dns/evaluate-delegation.js';
import type { DnsVerdict } from '../dns/evaluate-dns.js';
import type { OwnershipFacts } from './evaluate-claim.js';

/** The kinds of scheduled work of a domain, one row each, and the job that runs when the row is due. */
export const workKinds = {
  /** DNS: polling while awaiting, drift afterwards. */
  dns: 'verify-dns',
  reverify: 'reverify-domain',
  /** First issuance, its retries, and renewal. */
  issuance: 'issue-certificate',
  probe: 'probe-edge',
  /** Fetching renewal information of the CA. */
  renewal_info: 'fetch-renewal-info',
} as const satisfies Record<string, DomainJobName>;

export type WorkKind = keyof typeof workKinds;

export interface DomainFacts {
  readonly name: string;
  readonly targetHost: string;
  readonly state: DomainState;
  readonly misconfigured: boolean;
  /** The last request to verify, or when the domain was added. */
  readonly requestedAt: Date;
  readonly generationBeganAt: Date;
  readonly removedAt: Date | null;
  /** Whether the former owner has been notified that DNS still points here after the removal. */
  readonly isDangling: boolean;
  /** From 0 to 1, constant for a domain: spreads the scheduled work of domains. */
  readonly jitter: number;
  readonly verifiedAt: Date | null;
  readonly dnsIssues: readonly DomainIssue[];
  readonly conflicts: readonly RecordConflict[];
  readonly certificateIssues: readonly DomainIssue[];
  /** The newest automatic certificate; null while there is none. */
  readonly certificate: ValidityPeriod | null;
  /** The uploaded certificate, while visitors get it, or would. */
  readonly ownCertificate: ValidityPeriod | null;
  /** The last reported alert. */
  readonly certificateAlert: CertificateAlert | null;
  /** Whether certificates may be ordered: false under a suspension that does not allow it. */
  readonly mayRenew: boolean;
  /** Time after the start of the generation at which a certificate is overdue. */
  readonly overdueAfterMs: number;
  readonly issuance: IssuanceSchedule;
  /** The next DNS check. */
  readonly dnsDueAt: Date | null;
  /** The DNS check before. */
  readonly checkedAt: Date | null;
  /** Consecutive DNS checks that changed nothing. */
  readonly unchangedChecks: number;
  /** Times of the orders in the last 24 hours, oldest first. */
  readonly ordersAt: readonly Date[];
  /** The record that delegates DNS-01 challenges; null without a zone for them. */
  readonly delegation: ExpectedDelegation | null;
  /** Time since which checks find that record; null if the last answer was without it. */
  readonly delegatedAt: Date | null;
  /** When the preparation for a switch of the DNS began, by the first check that found the delegation. */
  readonly preparedAt: Date | null;
  /** Time since which the name could be switched: its certificate was there, and the edges served it. */
  readonly readyAt: Date | null;
  /** Time since which a name that was verified points elsewhere. */
  readonly elsewhereSince: Date | null;
  /** Whether another organization has the name verified or live. */
  readonly isClaimedElsewhere: boolean;
  /** How control of the name was proven for the newest certificate. */
  readonly certificateMethod: ChallengeMethod | null;
  /** Days after the beginning of a preparation for which certificates are ordered for it. */
  readonly prepareMaxDays: number;
  /** Consecutive failures of the kind of work that the trigger belongs to. */
  readonly failuresInARow: number;
}

/** The schedule of the first issuance, its retries, and renewal. */
interface IssuanceSchedule {
  readonly dueAt: Date | null;
  /** Whether a worker has the attempt. */
  readonly isUnderWay: boolean;
  readonly failuresInARow: number;
}

export interface DnsChecked {
  readonly type: 'dns.checked';
  readonly dns: DnsVerdict;
  /** Null if no proof of ownership is required. */
  readonly ownership: OwnershipFacts | null;
  /** Whether another organization has verified the name; for a removed domain, whether any organization has. */
  readonly isClaimedElsewhere: boolean;
  /** Whether the zone has other name servers than at the check before. */
  readonly hasNewNameServers?: boolean;
  /** Null if the delegation was not looked up. */
  readonly challenges?: DelegationVerdict | null;
}

export type DomainTrigger =
  | { readonly type: 'owner.verify' }
  | {
      readonly type: 'owner.reverify';
      /** Whether a CA has an order that is not finished: it is read at once. */
      readonly hasOpenOrder?: boolean;
    }
  | { readonly type: 'owner.removed' }
  | { readonly type: 'owner.lost' }
  | DnsChecked
  | { readonly type: 'domain.reverified'; readonly dns: DnsVerdict; readonly caa: CaaVerdict }
  | { readonly type: 'certificate.issued'; readonly renewAt: Date }
  | {
      readonly type: 'certificate.failed';
      readonly failure: ClassifiedFailure;
      /** Whether a check before the order failed, so that the CA was not involved. */
      readonly isPreflightFailure: boolean;
      /** Whether another CA with fewer failures for this domain may be used now. */
      readonly hasOtherCa: boolean;
      /** Whether the next attempt continues the order. */
      readonly isOrderOpen?: boolean;
    }
  /** The CA has not finished the order: it is read again. */
  | { readonly type: 'certificate.pending'; readonly nextReadAt: Date; readonly issue: DomainIssue }
  /** An order cannot be continued, or has taken too long. A new one may be placed then. */
  | { readonly type: 'order.given_up'; readonly nextOrderAt: Date; readonly reason: string }
  /** Nothing was dispatched: no challenge can succeed while the name points elsewhere. */
  | { readonly type: 'issuance.impossible' }
  /** Nothing was dispatched: every configured CA currently refuses, by its published limits or its last answer. */
  | { readonly type: 'issuance.postponed'; readonly until: Date; readonly issue: DomainIssue }
  /** The order waits until its registered domain is below the limit of a CA, about that time, and becomes due then. */
  | { readonly type: 'issuance.parked'; readonly until: Date; readonly issue: DomainIssue }
  /** The order waits for a slot of the account at the CA, and becomes due when it gets one. */
  | { readonly type: 'issuance.queued' }
  /** The CA's renewal window, or null if it has none; `retryAt` is the CA's retry time. */
  | {
      readonly type: 'renewal_info.fetched';
      readonly window: { readonly start: Date; readonly end: Date } | null;
      readonly explanationUrl: string | null;
      readonly retryAt: Date | null;
      readonly hasFailed: boolean;
    }
  /** An uploaded certificate can be served from now on, cannot any more, or is preferred or not; the text says what happened. */
  | {
      readonly type: 'own_certificate.activated';
      readonly detail: string;
      /** Whether the domain had no certificate before. */
      readonly isFirst: boolean;
    }
  | { readonly type: 'own_certificate.preferred'; readonly detail: string }
  | {
      readonly type: 'own_certificate.ended';
      readonly detail: string;
      /** `revoked` also before it was served. */
      readonly reason: 'removed' | 'expired' | 'revoked';
    }
  /** Time has passed: a warning about the uploaded certificate may be due. */
  | { readonly type: 'own_certificate.due' }
  | { readonly type: 'certificate.served' }
  | { readonly type: 'certificate.not_served'; readonly seen: readonly string[] };

/** When work is due, and its counts to write. */
export interface ScheduleEntry {
  readonly dueAt: Date | null;
  readonly failuresInARow?: number;
  /** Consecutive DNS checks without a change. */
  readonly unchangedChecks?: number;
}

/** Times that say what checks have found, and since when. */
export type DomainTimes = Partial<Pick<DomainFacts, 'delegatedAt' | 'preparedAt' | 'readyAt' | 'elsewhereSince'>>;

export interface Transition {
  readonly state: DomainState;
  readonly misconfigured: boolean;
  /** Whether a new generation starts, which invalidates all pending results. */
  readonly startsGeneration: boolean;
  /** Whether the name moves here from another organization, whose domain gets `owner.lost` in the same transaction. */
  readonly takesOver: boolean;
  /** Work to schedule, by kind. `dueAt: null` unschedules it; an absent count stays unchanged. */
  readonly work: Partial<Record<WorkKind, ScheduleEntry>>;
  /** Issues to replace, by source. */
  readonly issues: { readonly dns?: readonly DomainIssue[]; readonly certificate?: readonly DomainIssue[] };
  readonly conflicts?: readonly RecordConflict[];
  /** Times to change; an absent one stays unchanged. */
  readonly times: DomainTimes;
  /** The text of the history event; null without an event. */
  readonly history: string | null;
  /** The alert to report, with its own history event. Null resets the reported alert. */
  readonly alert?: { readonly level: CertificateAlert; readonly type: string; readonly detail: string } | null;
}

/** A transition that changes nothing, as the base of others. */
export function unchanged(domain: DomainFacts): Transition {
  return {
    state: domain.state,
    misconfigured: domain.misconfigured,
    startsGeneration: false,
    takesOver: false,
    work: {},
    issues: {},
    times: {},
    history: null,
  };
}

/** All state changes. */
const nextStates = {
  awaiting_dns: { 'dns.matched': 'verified', 'owner.removed': 'removed' },
  verified: { 'certificate.served': 'live', 'owner.removed': 'removed', 'owner.lost': 'removed' },
  live: { 'owner.removed': 'removed', 'owner.lost': 'removed' },
  removed: {},
} as const satisfies Record<DomainState, Partial<Record<string, DomainState>>>;

export type StateTrigger = 'dns.matched' | 'certificate.served' | 'owner.removed' | 'owner.lost';

/** The state that a trigger leads to; undefined if it does not change the state. */
export function nextState(state: DomainState, trigger: StateTrigger): DomainState | undefined {
  const moves: Partial<Record<StateTrigger, DomainState>> = nextStates[state];
  return moves[trigger];
}
