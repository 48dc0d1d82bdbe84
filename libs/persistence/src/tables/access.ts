import type {
  ApiKeyCreatorKind,
  AuditDetail,
  AuditEvent,
  AuditEventType,
  AuditSubjectKind,
  KeyRevocationReason,
  Plan,
  Role,
  Scope,
} from '@pets/contracts';
import type { Generated } from 'kysely';
import type { CreatedAt, JsonColumn, Timestamp } from './column-types.js';

export interface OrganizationTable {
  id: Generated<string>;
  name: string;
  plan: Plan;
  created_at: CreatedAt;
}

/** Limits of a plan, by name. */
export interface PlanLimitTable {
  plan: Plan;
  name: string;
  value: bigint;
}

/** Bytes that an organization uses of its limits. */
export interface OrganizationBytesTable {
  organization_id: string;
  /** In all tables, as they were estimated last. */
  bytes: Generated<bigint>;
  /** When that estimate began. */
  measured_at: Timestamp | null;
  /** The day of the last import, UTC, and the bytes of its imports. */
  import_day: string | null;
  import_bytes: Generated<bigint>;
}

/** Limits of one organization that differ from those of its plan. */
export interface OrganizationLimitTable {
  organization_id: string;
  name: string;
  value: bigint;
}

/** A pending change of custom domains of an organization: suspend them after the grace period, or resume them now. */
export interface PlanChangeTable {
  organization_id: string;
  action: 'suspend' | 'resume';
  /** When the plan changed. */
  since: Timestamp;
}

export interface ApiKeyTable {
  id: Generated<string>;
  organization_id: string;
  name: string;
  /** SHA-256 of the complete key. */
  hash: Buffer;
  /** Prefix and last four characters, for display. */
  display: string;
  scopes: readonly Scope[];
  created_at: CreatedAt;
  /** Null for a key without an end. */
  expires_at: Timestamp | null;
  /** Time of the last use, to the minute. */
  last_used_at: Timestamp | null;
  revoked_at: Timestamp | null;
  /** Whether the row is the anchor of a person's sessions: nobody has this key, and no list shows it. */
  is_person: Generated<boolean>;
  /** Null for the anchor of a person, which nobody created. */
  created_by_kind: ApiKeyCreatorKind | null;
  /** The person or key; null for the operator. */
  created_by_id: string | null;
  /** The key as shown, or the name of the operator; null for a person, whose name is joined. */
  created_by_display: string | null;
  /** The person who made the key, or the first of the keys with which it was made. Inherited, so that no row between counts. */
  person_id: string | null;
  /** Null unless revoked for one of these reasons. */
  revocation_reason: KeyRevocationReason | null;
  /** When a claim ended the membership of the person, until somebody decides about the key. */
  left_behind_at: Timestamp | null;
}

/** Somebody who signs in with the identity provider. */
export interface PersonTable {
  id: Generated<string>;
  organization_id: string;
  /** Issuer, which identifies a person together with `subject`: an e-mail address may change its owner. */
  issuer: string;
  subject: string;
  /** For display only, as the e-mail address. */
  name: string | null;
  email: string | null;
  role: Role;
  /** Sessions are below it; its scopes are those of the role. Null once retention has deleted it. */
  api_key_id: string | null;
  created_at: CreatedAt;
  last_sign_in_at: Timestamp;
  /** Whether a claim of the identity provider began the membership, which then ends with the claim. */
  added_by_claim: Generated<boolean>;
  removed_at: Timestamp | null;
  /** Whether the claim ended it, so that the claim may begin it again. */
  removed_by_claim: Generated<boolean>;
}

/** An invitation that nobody has used yet. */
export interface InvitationTable {
  id: Generated<string>;
  organization_id: string;
  name: string;
  role: Role;
  /** SHA-256 of the token in the link. */
  hash: Buffer;
  /** The key or person that invites; null for the operator. Without its scopes the invitation is not valid. */
  api_key_id: string | null;
  created_at: CreatedAt;
  expires_at: Timestamp;
}

/** A short-lived substitute for an API key, with the organization and scopes of the key. Ending it deletes the row. */
export interface SessionTable {
  id: Generated<string>;
  api_key_id: string;
  /** SHA-256 of the complete session key. */
  hash: Buffer;
  created_at: CreatedAt;
  expires_at: Timestamp;
}

/** The answer to a request with an idempotency key, for its repetitions. */
export interface IdempotentAnswerTable {
  /** For a session, its key. */
  api_key_id: string;
  /** Path with its parameters, without a query. */
  path: string;
  key: string;
  /** SHA-256 of the request. */
  fingerprint: Buffer;
  location: string | null;
  /** JSON text, encrypted: some answers contain a secret. */
  answer: string;
  created_at: CreatedAt;
  expires_at: Timestamp;
}

/** One change in an organization; a trigger forbids updates. */
export interface AuditEventTable {
  organization_id: string;
  number: Generated<bigint>;
  id: Generated<string>;
  at: CreatedAt;
  type: AuditEventType;
  actor_kind: AuditEvent['actor']['kind'];
  actor_id: string | null;
  actor_display: string | null;
  address: string | null;
  request_id: string | null;
  subject_kind: AuditSubjectKind;
  subject_id: string;
  detail: JsonColumn<AuditDetail>;
}
