import type {
  CaaVerdict,
  CertificateAlert,
  DomainIssue,
  DomainJobName,
  DomainState,
  RecordConflict,
} from '@pets/contracts';
import type { ClassifiedFailure } from '../certificates/classify-failure.js';
import type { CertificateLife } from '../certificates/renewal.js';
import type { DnsVerdict } from '../dns/evaluate-dns.js';
import type { OwnershipFacts } from './evaluate-claim.js';

/** The clocks of a domain, one row each, and the job that runs when one is due. */
export const workKinds = {
  /** DNS: polling while awaiting, drift afterwards. */
  dns: 'verify-dns',
  reverify: 'reverify-domain',
  /** First issuance, its retries, and renewal. */
  issuance: 'issue-certificate',
  probe: 'probe-edge',
  /** Asking the CA when to renew. */
  renewal_info: 'fetch-renewal-info',
} as const satisfies Record<string, DomainJobName>;

export type WorkKind = keyof typeof workKinds;

export interface DomainFacts {
  readonly name: string;
  readonly targetHost: string;
  readonly state: DomainState;
  readonly misconfigured: boolean;
  /** Last click on verify, or when the domain was added. */
  readonly requestedAt: Date;
  readonly generationBeganAt: Date;
  readonly removedAt: Date | null;
  /** Whether the owner was told that DNS still points here after the removal. */
  readonly isDangling: boolean;
  /** From 0 up to 1, always the same for a domain: where in the pause between two checks its own turn comes. */
  readonly jitter: number;
  readonly verifiedAt: Date | null;
  readonly dnsIssues: readonly DomainIssue[];
  readonly certificateIssues: readonly DomainIssue[];
  /** The newest certificate; null while there is none. */
  readonly certificate: CertificateLife | null;
  /** What the owner was told of it last. */
  readonly certificateAlert: CertificateAlert | null;
  /** Whether certificates may be ordered: false under a suspension that does not allow it. */
  readonly mayRenew: boolean;
  /** How long after the generation began a certificate is overdue. */
  readonly overdueAfterMs: number;
  readonly issuance: IssuanceSchedule;
  /** When DNS is looked at next. */
  readonly dnsDueAt: Date | null;
  /** When CAs were asked for orders in the last 24 hours, oldest first. */
  readonly ordersAt: readonly Date[];
  /** Of the kind of work the trigger belongs to. */
  readonly failuresInARow: number;
}

/** The clock of the first issuance, its retries, and renewal. */
interface IssuanceSchedule {
  readonly dueAt: Date | null;
  /** Whether an attempt is with the worker. */
  readonly isUnderWay: boolean;
  readonly failuresInARow: number;
}

export interface DnsChecked {
  readonly type: 'dns.checked';
  readonly dns: DnsVerdict;
  /** Null where no proof of ownership is required. */
  readonly ownership: OwnershipFacts | null;
  /** Whether another organization has the name verified or live; of a removed domain, whether anybody has it again. */
  readonly isClaimedElsewhere: boolean;
}

export type DomainTrigger =
  | { readonly type: 'owner.verify' }
  | { readonly type: 'owner.reverify' }
  | { readonly type: 'owner.removed' }
  | { readonly type: 'owner.lost' }
  | DnsChecked
  | { readonly type: 'domain.reverified'; readonly dns: DnsVerdict; readonly caa: CaaVerdict }
  | { readonly type: 'certificate.issued'; readonly renewAt: Date }
  | {
      readonly type: 'certificate.failed';
      readonly failure: ClassifiedFailure;
      readonly isByGate: boolean;
      /** Whether another CA is configured that has failed this domain less often, and may be asked now. */
      readonly hasOtherCa: boolean;
    }
  /** Nothing was dispatched: every configured CA would refuse for now, by its published limits or its own word. */
  | { readonly type: 'issuance.postponed'; readonly until: Date; readonly issue: DomainIssue }
  /** The CA's window for renewal, or null when it has none; `retryAt` is when it wants to be asked again. */
  | {
      readonly type: 'renewal_info.fetched';
      readonly window: { readonly start: Date; readonly end: Date } | null;
      readonly explanationUrl: string | null;
      readonly retryAt: Date | null;
      readonly hasFailed: boolean;
    }
  | { readonly type: 'certificate.served' }
  | { readonly type: 'certificate.not_served'; readonly seen: readonly string[] };

export interface Transition {
  readonly state: DomainState;
  readonly misconfigured: boolean;
  /** A new generation makes every result of the old one count for nothing. */
  readonly startsGeneration: boolean;
  /** Whether the name is taken from whoever holds it: their domain gets `owner.lost` in the same transaction. */
  readonly takesOver: boolean;
  /** Clocks to set, by kind; `dueAt: null` stops one, a count that is left out stays. */
  readonly work: Partial<Record<WorkKind, { readonly dueAt: Date | null; readonly failuresInARow?: number }>>;
  /** Issues to replace, by where they come from. */
  readonly issues: { readonly dns?: readonly DomainIssue[]; readonly certificate?: readonly DomainIssue[] };
  readonly conflicts?: readonly RecordConflict[];
  /** The line for the history; null when nothing happened that is worth one. */
  readonly history: string | null;
  /** What the owner is told of the certificate now, with a line of its own; null forgets what was told. */
  readonly alert?: { readonly level: CertificateAlert; readonly type: string; readonly detail: string } | null;
}

/** The outcome that other outcomes differ from. */
export function unchanged(domain: DomainFacts): Transition {
  return {
    state: domain.state,
    misconfigured: domain.misconfigured,
    startsGeneration: false,
    takesOver: false,
    work: {},
    issues: {},
    history: null,
  };
}

/** Every change of state there is. What is not listed does not happen. */
const nextStates = {
  awaiting_dns: { 'dns.matched': 'verified', 'owner.removed': 'removed' },
  verified: { 'certificate.served': 'live', 'owner.removed': 'removed', 'owner.lost': 'removed' },
  live: { 'owner.removed': 'removed', 'owner.lost': 'removed' },
  removed: {},
} as const satisfies Record<DomainState, Partial<Record<string, DomainState>>>;

export type StateTrigger = 'dns.matched' | 'certificate.served' | 'owner.removed' | 'owner.lost';

/** The state a trigger leads to, or undefined when it changes none. */
export function nextState(state: DomainState, trigger: StateTrigger): DomainState | undefined {
  const moves: Partial<Record<StateTrigger, DomainState>> = nextStates[state];
  return moves[trigger];
}
