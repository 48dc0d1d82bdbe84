import type { AuditDetail, AuditEvent, AuditEventType, AuditSubjectKind, Plan, Scope } from '@pets/contracts';
import type { Generated } from 'kysely';
import type { CreatedAt, JsonColumn, Timestamp } from './column-types.js';

export interface OrganizationTable {
  id: Generated<string>;
  name: string;
  plan: Plan;
  created_at: CreatedAt;
}

/** What a plan allows, by the name of the limit. */
export interface PlanLimitTable {
  plan: Plan;
  name: string;
  value: bigint;
}

/** Limits of one organization that differ from those of its plan. */
export interface OrganizationLimitTable {
  organization_id: string;
  name: string;
  value: bigint;
}

/** That custom domains of an organization are to be suspended once their time is over, or resumed now. */
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
  /** SHA-256 of the whole key. */
  hash: Buffer;
  /** Prefix and last four characters, for display. */
  display: string;
  scopes: readonly Scope[];
  created_at: CreatedAt;
  /** Null for a key that lasts until it is revoked. */
  expires_at: Timestamp | null;
  /** To the minute. */
  last_used_at: Timestamp | null;
  revoked_at: Timestamp | null;
}

/** A short-lived stand-in for an API key. Organization and scopes are the key's; an ended session is no row. */
export interface SessionTable {
  id: Generated<string>;
  api_key_id: string;
  /** SHA-256 of the whole session key. */
  hash: Buffer;
  created_at: CreatedAt;
  expires_at: Timestamp;
}

/** What a request with an idempotency key was answered, for whoever repeats it. */
export interface IdempotentAnswerTable {
  /** A session's rows are its key's. */
  api_key_id: string;
  /** With its parameters, without a query. */
  path: string;
  key: string;
  /** SHA-256 of what was asked. */
  fingerprint: Buffer;
  location: string | null;
  /** JSON text, sealed: some answers hold a secret. */
  answer: string;
  created_at: CreatedAt;
  expires_at: Timestamp;
}

/** One change in an organization; a trigger lets nobody alter it. */
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
