import type {
  AnnouncedAccount,
  CertificateTrust,
  ChallengeMethod,
  DomainEvents,
  FailureClass,
  RevocationCheckResult,
  RevocationReason,
} from '@pets/contracts';
import type { Generated, GeneratedAlways } from 'kysely';
import type { CreatedAt, JsonColumn, Timestamp } from './column-types.js';

/** One attempt to get a certificate: its encrypted key, its result, and its use of the CA's limits. */
export interface CertificateTable {
  id: Generated<string>;
  domain_id: string;
  organization_id: string;
  /** Of the domain; the limits of the CA count by it. */
  name: string;
  apex_name: string;
  generation: number;
  attempt: number;
  state: 'pending' | 'issued' | 'failed';
  directory_url: string;
  /** The account at the CA, by its name; `default` is that of `ACME_ACCOUNT_KEY`. */
  account: Generated<string>;
  /** RFC 9773 identifier of the certificate that it replaces; such orders are exempt from limits. */
  replaces: string | null;
  /** Whether the CA treats the order as a renewal: it issued a certificate for exactly this name recently. */
  is_renewal: boolean;
  /** Attempts that the CA's limit of the exact set counted, this one included; at most 50. Null without the limit. */
  name_uses: number | null;
  /** Null until it ends; false when no order was made, or when another attempt replaced it. */
  ordered: boolean | null;
  failure_class: FailureClass | null;
  /** The stage that failed. A failure of the preflight does not involve the CA; limits count by stage. */
  failure_stage: DomainEvents['certificate.failed']['stage'] | null;
  /** The CA asks for no order before this time. */
  retry_at: Timestamp | null;
  failed_at: Timestamp | null;
  /** How the CA checked the control of the name; null before the end. */
  method: ChallengeMethod | null;
  /**
   * The order at the CA, which the next attempt continues while the row is pending; null before the CA has accepted it. Such an
   * order is read to its end, whatever becomes of the domain.
   */
  order_url: string | null;
  ordered_at: Timestamp | null;
  /** When the CA gives the order up. */
  order_expires_at: Timestamp | null;
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
  /** Whether there may be an object in the storage. */
  has_object: Generated<boolean>;
  /** When the object was written with the chain and the sealed key of this row; null while there is none like it. */
  object_written_at: Timestamp | null;
  /** Until then one process alone writes or deletes the object. */
  object_lease_until: Timestamp | null;
}

/** A certificate that the owner of a domain uploaded. */
export interface OwnCertificateTable {
  id: string;
  domain_id: string;
  organization_id: string;
  /** `checking` until its revocation list was read; `active` while visitors get it, if it is preferred. The others are ends. */
  state: 'checking' | 'active' | 'expired' | 'revoked' | 'replaced' | 'removed';
  is_preferred: boolean;
  trust: CertificateTrust;
  /** The leaf first. */
  chain_pem: string;
  /** '' once the key was deleted. */
  sealed_key: string;
  leaf_sha256: string;
  /** Of the leaf, lower-case hex. */
  serial_number: string;
  issuer: string;
  /** The DNS names of the leaf. */
  names: string[];
  not_before: Timestamp;
  /** The earliest end of a certificate of the chain. */
  not_after: Timestamp;
  created_at: Timestamp;
  ended_at: Timestamp | null;
  /** When time changes something next: a warning, or its end. */
  step_due_at: Timestamp | null;
  /** Where the CA publishes its revocation list. */
  crl_urls: string[];
  /** The CA that signs the list; it may be a root, which is not in the chain. */
  crl_issuer_pem: string | null;
  /** When the list is read next, or the end of the lease of an attempt; null without a list. */
  check_due_at: Timestamp | null;
  check_attempt: Generated<number>;
  /** While an attempt runs: the end of its lease. Also of a row that has ended meanwhile. */
  check_leased_until: Timestamp | null;
  /** Attempts since the list was last readable. */
  check_failures: Generated<number>;
  checked_at: Timestamp | null;
  check_result: RevocationCheckResult | null;
  /** Why the list could not be used, or since when the certificate is revoked. */
  check_detail: string | null;
  /** When the object was written with the chain and the sealed key of this row; null while there is none like it. */
  object_written_at: Timestamp | null;
}

/** An order that waits for a slot of the account at a CA, or has one that is not used yet. */
export interface QueuedOrderTable {
  domain_id: string;
  organization_id: string;
  directory_url: string;
  account: Generated<string>;
  rank: number;
  virtual_time: number;
  position: GeneratedAlways<string>;
  queued_at: Generated<Date>;
  slot_given_at: Timestamp | null;
}

/** The revocation of a certificate. Due rows are dispatched; a dispatch moves `due_at` to the end of its lease. */
export interface CertificateRevocationTable {
  certificate_id: string;
  domain_id: string;
  directory_url: string;
  /** That ordered the certificate, and signs its revocation. */
  account: Generated<string>;
  /** The leaf first. A chain that arrived after the removal of its domain is stored only here. */
  chain_pem: string;
  reason: RevocationReason;
  state: Generated<'pending' | 'revoked' | 'expired'>;
  requested_at: Timestamp;
  /** When the certificate expires; the row is deleted some time later. */
  expires_at: Timestamp;
  due_at: Timestamp;
  attempt: Generated<number>;
  failures: Generated<number>;
  /** The CA's answer to the last failed attempt. */
  problem: string | null;
  ended_at: Timestamp | null;
}

/** A registered domain that is at a limit of a CA, while orders below it are parked. */
export interface LimitedDomainTable {
  directory_url: string;
  apex_name: string;
  /** When its limit is looked at again. */
  check_at: Timestamp;
}

/** An order that waits until the limit of its registered domain allows it. */
export interface ParkedOrderTable {
  domain_id: string;
  directory_url: string;
  apex_name: string;
  rank: number;
  position: GeneratedAlways<string>;
  parked_at: Generated<Date>;
  released_at: Timestamp | null;
}

/** A time before which a CA wants no orders: of an account (`apex_name` is ''), or below a registered domain (`account` is ''). */
export interface CaPauseTable {
  directory_url: string;
  account: string;
  apex_name: string;
  paused_until: Timestamp;
  /** The answer of the CA. */
  detail: string;
}

/** A worker and the accounts that it can use, as it announces them while it runs. */
export interface AcmeWorkerTable {
  worker_id: string;
  accounts: JsonColumn<readonly AnnouncedAccount[]>;
  announced_at: Timestamp;
}

/** The default account at a CA. */
export interface AcmeAccountTable {
  directory_url: string;
  account_url: string;
  thumbprint: string;
  /** When the worker signed the last applied announcement; null for one of an older version. */
  announced_at: Timestamp | null;
  updated_at: Timestamp;
}

/** A known text encrypted with a key-encryption key: a process that cannot decrypt it has another key of that id. */
export interface KeyCheckTable {
  key_id: string;
  sealed: string;
  created_at: CreatedAt;
}

/** How far the sweep of unused keys has read. */
export interface UnusedKeyPositionTable {
  source: 'replaced' | 'removed';
  read_until: Timestamp;
}
