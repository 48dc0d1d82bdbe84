import type { Generated } from 'kysely';
import type { CreatedAt, Timestamp } from './column-types.js';

export interface OrganizationTable {
  id: Generated<string>;
  name: string;
  plan: string;
  created_at: CreatedAt;
}

export interface ApiKeyTable {
  id: Generated<string>;
  organization_id: string;
  name: string;
  /** SHA-256 of the whole key. */
  hash: Buffer;
  /** Prefix and last four characters, for display. */
  display: string;
  scopes: readonly string[];
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
