import type {
  CertificateAlert,
  DomainImportAction,
  DomainImportFormat,
  DomainImportState,
  DomainIssue,
  DomainState,
  FormerRecord,
  ObservedRecord,
  RecordConflict,
  SuspensionCause,
} from '@pets/contracts';
import type { ColumnType, Generated } from 'kysely';
import type { CreatedAt, JsonColumn, JsonWithDefault, Timestamp } from './column-types.js';

/** The claim of an organization to a name, with its tokens. It outlives the domain: tokens stay, and takeovers are detected. */
export interface DomainClaimTable {
  organization_id: string;
  name: string;
  target_token: string;
  ownership_token: string;
  verified_at: Timestamp | null;
  /** Time since which no domain needs the claim: the removed ones were deleted. Null again when the name is added. */
  released_at: Timestamp | null;
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
  /** The zone of the name, by the answers of the last check that showed it. */
  zone: string | null;
  /** Public addresses of ours that the name showed in its last check, in order; null where it showed none. */
  matched_addresses: ColumnType<readonly string[] | null>;
  /** Name servers of its zone, as the last conclusive check found them; empty before that. */
  name_servers: JsonWithDefault<readonly string[]>;
  conflicts: JsonWithDefault<readonly RecordConflict[]>;
  former_records: JsonWithDefault<readonly FormerRecord[]>;
  dns_issues: JsonWithDefault<readonly DomainIssue[]>;
  certificate_issues: JsonWithDefault<readonly DomainIssue[]>;
  /** The last alert about the certificate. */
  certificate_alert: CertificateAlert | null;
  /** Feed version that ended its routes; edges that have acknowledged an earlier one may still serve it. */
  removed_version: bigint | null;
  /** When it was recorded that no edge serves the removed domain. */
  traffic_stopped_at: Timestamp | null;
  created_at: CreatedAt;
  verified_at: Timestamp | null;
  live_at: Timestamp | null;
  removed_at: Timestamp | null;
  /** The id that the organization gave it. */
  external_id: string | null;
  /** Null for none. */
  metadata: ColumnType<Readonly<Record<string, string>> | null, string | null | undefined, string | null>;
  /** The label of its delegation target. Null in rows from before there were any: their id is the label. */
  delegation_token: Generated<string>;
  /** Time since which DNS checks find the delegation; null when the last answer was without it. */
  delegated_at: Timestamp | null;
  /** When the preparation for a switch of its DNS began. */
  prepared_at: Timestamp | null;
  /** Time since which its DNS could be switched without an interruption. */
  ready_at: Timestamp | null;
  /** Time since which a name that was verified points elsewhere. */
  elsewhere_since: Timestamp | null;
  /** The name of the channel that it serves; null for the active deployment. */
  channel: string | null;
  /** Number of its newest webhook event. */
  event_sequence: Generated<number>;
}

/** How many domains a project has, kept by triggers. A project without a row has not been counted yet. */
export interface DomainCountTable {
  project_id: string;
  organization_id: string;
  awaiting_dns: number;
  verified: number;
  live: number;
  /** Misconfigured domains, of those that are not removed. */
  misconfigured: number;
}

/** Scheduled work of a domain, one row a kind. The row is the outbox too: due rows without a lease are dispatched. */
export interface DomainWorkTable {
  domain_id: string;
  kind: 'dns' | 'reverify' | 'issuance' | 'probe' | 'renewal_info';
  due_at: Timestamp | null;
  /** When something other than a result last made it due; a request during an attempt outlives its result. */
  requested_at: Timestamp | null;
  claimed_at: Timestamp | null;
  lease_until: Timestamp | null;
  attempt: Generated<number>;
  applied_attempt: Generated<number>;
  failures_in_a_row: Generated<number>;
  /** Consecutive DNS checks that changed nothing. */
  unchanged_checks: Generated<number>;
  /** Time of the last DNS check. It is newer than the `checked_at` of the domain where it changed nothing. */
  checked_at: Timestamp | null;
  /** The due time before a suspension. */
  held_due_at: Timestamp | null;
  /** The trace of the next attempt, in the format of W3C Trace Context. */
  traceparent: string | null;
  /** Organization of its domain. */
  organization_id: string;
  /** Lower goes first. */
  priority: number;
}

export interface DomainEventTable {
  project_id: string;
  number: bigint;
  domain_id: string;
  type: string;
  from_state: DomainState | null;
  to_state: DomainState;
  detail: string;
  /** The API key that did it; null for automatic changes. */
  api_key_id: string | null;
  at: Timestamp;
}

/** A suspension of an organization; with `project_id`, of one project; with `name`, of one domain. */
export interface SuspensionTable {
  id: Generated<string>;
  organization_id: string;
  project_id: string | null;
  name: string | null;
  cause: SuspensionCause;
  reason: string;
  since: Timestamp;
  /** Until when certificates are still renewed. */
  renews_until: Timestamp | null;
  /** The name that the operator gave; only operators see it. */
  suspended_by: string | null;
}

/** The last change of a domain without a line of history. */
export interface DomainChangeTable {
  domain_id: string;
  project_id: string;
  /** The project's `change_number` of the change. */
  number: bigint;
}

/** A name that a wildcard covers and that is not served. */
export interface WildcardExclusionTable {
  domain_id: string;
  name: string;
  created_at: CreatedAt;
}

/** A name that cannot be added. */
export interface BlockedNameTable {
  name: string;
  includes_subdomains: boolean;
  reason: string;
  blocked_by: string | null;
  since: Timestamp;
}

/** A link with which the owner of a domain sets it up. It is live until it expires, and while the domain is in its project. */
export interface SetupLinkTable {
  id: Generated<string>;
  organization_id: string;
  project_id: string;
  domain_id: string;
  /** SHA-256 of the token. */
  hash: Buffer;
  return_url: string | null;
  created_at: CreatedAt;
  expires_at: Timestamp;
}

/** The look of the pages of the set-up links of an organization. */
export interface SetupPageTable {
  organization_id: string;
  name: string | null;
  color: string | null;
  support_address: string | null;
  return_origins: ColumnType<readonly string[], readonly string[] | undefined, readonly string[]>;
  /** A WebP that we have written, and its SHA-256 in hexadecimal, by which it is asked for. */
  logo: Buffer | null;
  logo_hash: string | null;
  logo_width: number | null;
  logo_height: number | null;
}

/** An import or a removal of many domains. */
export interface DomainImportTable {
  id: Generated<string>;
  organization_id: string;
  project_id: string;
  action: DomainImportAction;
  format: DomainImportFormat;
  state: Generated<DomainImportState | 'uploading'>;
  /** Reason why the import failed. */
  reason: string | null;
  /** The requester, as the audit log shows it. */
  api_key_id: string;
  requester: JsonColumn<object>;
  /** Size of the file; while it is uploaded, the most that it may have. */
  bytes: Generated<bigint>;
  lines: Generated<number>;
  created: Generated<number>;
  existing: Generated<number>;
  removed: Generated<number>;
  refused: Generated<number>;
  /** The number of the next piece. */
  next_piece: Generated<number>;
  /** When the next piece is due. */
  due_at: Timestamp;
  failures_in_a_row: Generated<number>;
  /** The newest feed version that ended routes of removed domains. */
  removed_version: bigint | null;
  /** Project's `change_number` of its last change. */
  change_number: Generated<bigint>;
  created_at: CreatedAt;
  ended_at: Timestamp | null;
}

/** Some lines of an import, with their results once they are done. */
export interface DomainImportPieceTable {
  import_id: string;
  number: number;
  lines: JsonColumn<readonly object[]>;
  results: JsonColumn<readonly object[]> | null;
}
