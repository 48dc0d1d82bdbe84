import type {
  CertificateAlert,
  DomainIssue,
  DomainState,
  ObservedRecord,
  RecordConflict,
  SuspensionCause,
} from '@pets/contracts';
import type { Generated } from 'kysely';
import type { CreatedAt, JsonWithDefault, Timestamp } from './column-types.js';

/** Who has asked for a name and with which tokens; outlives the domain, so that tokens stay and takeovers are noticed. */
export interface DomainClaimTable {
  organization_id: string;
  name: string;
  target_token: string;
  ownership_token: string;
  verified_at: Timestamp | null;
  created_at: CreatedAt;
}

export interface DomainTable {
  id: Generated<string>;
  organization_id: string;
  project_id: string;
  name: string;
  unicode_name: string;
  apex_name: string;
  state: Generated<DomainState>;
  misconfigured: Generated<boolean>;
  generation: Generated<number>;
  generation_began_at: Timestamp;
  requested_at: Timestamp;
  checked_at: Timestamp | null;
  ownership_proven_at: Timestamp | null;
  observed: JsonWithDefault<readonly ObservedRecord[]>;
  /** Of its zone, as the last check that could tell found them. */
  name_servers: JsonWithDefault<readonly string[]>;
  conflicts: JsonWithDefault<readonly RecordConflict[]>;
  dns_issues: JsonWithDefault<readonly DomainIssue[]>;
  certificate_issues: JsonWithDefault<readonly DomainIssue[]>;
  /** What the owner was told of the certificate last. */
  certificate_alert: CertificateAlert | null;
  /** Feed version that ended its routes; edges that have acknowledged less may still serve it. */
  removed_version: bigint | null;
  /** When no edge could serve the removed domain any more, as far as it was noted. */
  traffic_stopped_at: Timestamp | null;
  /** The project's `change_number` when it last changed without a history entry. */
  change_number: Generated<bigint>;
  created_at: CreatedAt;
  verified_at: Timestamp | null;
  live_at: Timestamp | null;
  removed_at: Timestamp | null;
  /** Number of the newest event that endpoints were told of. */
  event_sequence: Generated<number>;
}

/** One clock of a domain. The row is the schedule and the outbox: what is due and not leased is dispatched. */
export interface DomainWorkTable {
  domain_id: string;
  kind: 'dns' | 'reverify' | 'issuance' | 'probe' | 'renewal_info';
  due_at: Timestamp | null;
  /** When somebody else than a result last made it due; a request during a try outlives the try's result. */
  requested_at: Timestamp | null;
  claimed_at: Timestamp | null;
  lease_until: Timestamp | null;
  attempt: Generated<number>;
  applied_attempt: Generated<number>;
  failures_in_a_row: Generated<number>;
  /** When it was due before a suspension held it back. */
  held_due_at: Timestamp | null;
  /** The trace that the next try is part of, in the form of W3C Trace Context. */
  traceparent: string | null;
}

export interface DomainEventTable {
  project_id: string;
  number: bigint;
  domain_id: string;
  type: string;
  from_state: DomainState | null;
  to_state: DomainState;
  detail: string;
  /** Who did it; null for what happened by itself. */
  api_key_id: string | null;
  at: Timestamp;
}

/** What is suspended: an organization, with `project_id` one project of it, with `name` its domain of that name. */
export interface SuspensionTable {
  id: Generated<string>;
  organization_id: string;
  project_id: string | null;
  name: string | null;
  cause: SuspensionCause;
  reason: string;
  since: Timestamp;
  /** Up to when certificates are renewed all the same. */
  renews_until: Timestamp | null;
  /** The name that the operator gave, for operators alone. */
  suspended_by: string | null;
}

/** A name that nobody may add. */
export interface BlockedNameTable {
  name: string;
  includes_subdomains: boolean;
  reason: string;
  blocked_by: string | null;
  since: Timestamp;
}
