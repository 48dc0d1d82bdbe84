import type { DomainEvents, FailureClass, RevocationReason } from '@pets/contracts';
import type { Generated } from 'kysely';
import type { CreatedAt, Timestamp } from './column-types.js';

/** One row an attempt: the sealed key, what became of it, and what it costs of the CA's limits. */
export interface CertificateTable {
  id: Generated<string>;
  domain_id: string;
  organization_id: string;
  /** Of the domain, for counting by the CA's limits. */
  name: string;
  apex_name: string;
  generation: number;
  attempt: number;
  state: 'pending' | 'issued' | 'failed';
  directory_url: string;
  /** RFC 9773 identifier of the certificate it replaces; such orders are exempt from limits. */
  replaces: string | null;
  /** Whether the CA takes the order for a renewal: it had issued a certificate for exactly this name lately. */
  is_renewal: boolean;
  /** Null until it has ended; false when it costs nothing: no order was asked for, or another attempt took its place. */
  ordered: boolean | null;
  failure_class: FailureClass | null;
  /** How far it came: what failed at our own gate says nothing about the CA, and limits count by what was reached. */
  failure_stage: DomainEvents['certificate.failed']['stage'] | null;
  /** Until when the CA wants to be left alone. */
  retry_at: Timestamp | null;
  failed_at: Timestamp | null;
  csr_pem: string;
  sealed_key: string;
  chain_pem: string | null;
  leaf_sha256: string | null;
  issuer: string | null;
  not_before: Timestamp | null;
  not_after: Timestamp | null;
  renew_at: Timestamp | null;
  /** RFC 9773 §4.1, where the leaf has an authority key identifier. */
  identifier: string | null;
  created_at: CreatedAt;
  issued_at: Timestamp | null;
}

/** A certificate that its CA is asked to revoke. What is due is dispatched; a dispatch moves `due_at` behind its lease. */
export interface CertificateRevocationTable {
  certificate_id: string;
  domain_id: string;
  directory_url: string;
  /** The leaf first. That of an attempt whose result came too late is kept here alone. */
  chain_pem: string;
  reason: RevocationReason;
  state: Generated<'pending' | 'revoked' | 'expired'>;
  requested_at: Timestamp;
  /** When the certificate expires; the row is deleted some time later. */
  expires_at: Timestamp;
  due_at: Timestamp;
  attempt: Generated<number>;
  failures: Generated<number>;
  /** What the CA has said to the last try that failed. */
  problem: string | null;
  ended_at: Timestamp | null;
}

export interface AcmeAccountTable {
  directory_url: string;
  account_url: string;
  thumbprint: string;
  /** When the worker signed the announcement that was applied last; null for one of an older version. */
  announced_at: Timestamp | null;
  updated_at: Timestamp;
}

/** A text sealed by each key-encryption key that is in use: whoever cannot open it has another key of that name. */
export interface KeyCheckTable {
  key_id: string;
  sealed: string;
  created_at: CreatedAt;
}
