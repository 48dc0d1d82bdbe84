import type {
  CertificateTrust,
  ChallengeMethod,
  DomainEvents,
  FailureClass,
  RevocationCheckResult,
  RevocationReason,
} from '@pets/contracts';
import type { Generated, GeneratedAlways } from 'kysely';
import type { CreatedAt, Timestamp } from './column-types.js';

/** A certificate of a domain, or an attempt to get one. The origin says which of the columns have values. */
export type CertificateTable = CertificateColumns & OrNull<OrderedColumns> & OrNull<UploadedColumns>;

type OrNull<Columns> = { [Name in keyof Columns]: Columns[Name] | null };

interface CertificateColumns {
  id: Generated<string>;
  origin: 'ordered' | 'uploaded';
  domain_id: string;
  organization_id: string;
  /**
   * State of an order, up to `failed`, or of an upload: `checking` until its revocation list was read, `active` while visitors
   * get it, if it is preferred. The states after these are ends.
   */
  state: 'pending' | 'issued' | 'failed' | 'checking' | 'active' | 'expired' | 'revoked' | 'replaced' | 'removed';
  /** '' once the key was deleted. */
  sealed_key: string;
  /** The leaf first. */
  chain_pem: string | null;
  leaf_sha256: string | null;
  issuer: string | null;
  not_before: Timestamp | null;
  /** The earliest end of a certificate of an uploaded chain. */
  not_after: Timestamp | null;
  created_at: CreatedAt;
  /** Whether the key was not deleted. */
  has_key: GeneratedAlways<boolean>;
  /** Whether there may be an object in the storage. */
  has_object: Generated<boolean>;
  /** When the object was written with the chain and the sealed key of this row; null while there is none like it. */
  object_written_at: Timestamp | null;
  /** Until then one process alone writes or deletes the object. */
  object_lease_until: Timestamp | null;
}

/** An attempt to get a certificate: its result, and its use of the CA's limits. */
interface OrderedColumns {
  /** Name of the domain; the limits of the CA count by it. */
  name: string;
  apex_name: string;
  generation: number;
  attempt: number;
  directory_url: string;
  /** RFC 7638 thumbprint of the account key that ordered it, which alone finishes the order and revokes the certificate. */
  account_thumbprint: string;
  /** RFC 9773 identifier of the certificate that it replaces; such orders are exempt from limits. */
  replaces: string;
  /** Whether the CA treats the order as a renewal: it issued a certificate for exactly this name recently. */
  is_renewal: boolean;
  /** Attempts that the CA's limit of the exact set counted, this one included; at most 50. Null without the limit. */
  name_uses: number;
  /** Null until it ends; false when no order was made, or when another attempt replaced it. */
  ordered: boolean;
  failure_class: FailureClass;
  /** The stage that failed. A failure of the preflight does not involve the CA; limits count by stage. */
  failure_stage: DomainEvents['certificate.failed']['stage'];
  /** The CA asks for no order before this time. */
  retry_at: Timestamp;
  failed_at: Timestamp;
  /** How the CA checked the control of the name; null before the end. */
  method: ChallengeMethod;
  /**
   * The order at the CA, which the next attempt continues while the row is pending; null before the CA has accepted it. Such an
   * order is read to its end, whatever becomes of the domain.
   */
  order_url: string;
  ordered_at: Timestamp;
  /** When the CA gives the order up. */
  order_expires_at: Timestamp;
  /** '' once the key was deleted. */
  csr_pem: string;
  renew_at: Timestamp;
  /** RFC 9773 §4.1, where the leaf has an authority key identifier. */
  identifier: string;
  issued_at: Timestamp;
}

/** An upload: the choice of its owner, and what is known of its revocation. */
interface UploadedColumns {
  is_preferred: boolean;
  trust: CertificateTrust;
  /** Serial number of the leaf, lower-case hex. */
  serial_number: string;
  /** The DNS names of the leaf. */
  names: string[];
  ended_at: Timestamp;
  /** When time changes something next: a warning, or its end. */
  step_due_at: Timestamp;
  /** URLs at which the CA publishes its revocation list. */
  crl_urls: string[];
  /** The CA that signs the list; it may be a root, which is not in the chain. */
  crl_issuer_pem: string;
  /** When the list is read next, or the end of the lease of an attempt; null without a list. */
  check_due_at: Timestamp;
  check_attempt: number;
  /** While an attempt runs: the end of its lease. Also of a row that has ended meanwhile. */
  check_leased_until: Timestamp;
  /** Attempts since the list was last readable. */
  check_failures: number;
  checked_at: Timestamp;
  check_result: RevocationCheckResult;
  /** Reason why the list could not be used, or the time of the revocation. */
  check_detail: string;
}

/** An order that waits at a CA, or has a slot that is not used yet. */
export interface QueuedOrderTable {
  domain_id: string;
  organization_id: string;
  directory_url: string;
  /** Line in which it waits: its registered domain, while that is at a limit of the CA, and then '', the line of the CA itself. */
  line: string;
  apex_name: string;
  rank: number;
  /** Whether the CA counts it towards the limit of its registered domain. */
  is_new: boolean;
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
  /** Thumbprint of the account key that ordered the certificate, and signs its revocation. */
  account_thumbprint: string;
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

/** A registered domain that is at a limit of a CA, while orders wait in its line. */
export interface LimitedDomainTable {
  directory_url: string;
  apex_name: string;
  /** When its limit is looked at again. */
  check_at: Timestamp;
}

/** A time before which a CA wants no orders: of our account (`apex_name` is ''), or below a registered domain. */
export interface CaPauseTable {
  directory_url: string;
  apex_name: string;
  paused_until: Timestamp;
  /** The answer of the CA. */
  detail: string;
}

/** Our account at a CA. */
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
