import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';

/**
 * The tables as Kysely sees them. int8 columns are `bigint`; times are `Date`. JSON columns are written as text and
 * read as values. The value sets of text columns stand in `@pets/contracts` and are checked by the database as well.
 */

type Timestamp = ColumnType<Date, Date, Date>;
type CreatedAt = ColumnType<Date, Date | undefined, never>;
type Json = JSONColumnType<object, string, string>;

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

export interface PetTable {
  id: Generated<bigint>;
  organization_id: string;
  name: string;
  category_id: bigint;
  status: string;
  created_at: CreatedAt;
  /** The animal as the API answers it. Written by the database. */
  as_json: GeneratedAlways<string>;
}

export interface OrderTable {
  id: Generated<bigint>;
  organization_id: string;
  pet_id: bigint;
  quantity: number;
  status: Generated<string>;
  created_at: CreatedAt;
}

/** How often a key called a deprecated operation on a day. Without foreign keys: counting never stands in the way. */
export interface DeprecatedCallTable {
  operation: string;
  day: string;
  api_key_id: string;
  calls: bigint;
}

export interface ProjectTable {
  id: Generated<string>;
  organization_id: string;
  name: string;
  slug: string;
  domain_config: ColumnType<object, string | undefined, string>;
  /** What Strict-Transport-Security is asked for; null for none. */
  hsts: ColumnType<object | null, string | null | undefined, string | null>;
  /** Number of the newest history entry of the project. */
  event_number: Generated<bigint>;
  /** How often domains of the project have changed without a history entry. */
  change_number: Generated<bigint>;
  created_at: CreatedAt;
}

export interface DeploymentTable {
  id: Generated<string>;
  project_id: string;
  /** Ascends in order of upload. */
  number: Generated<bigint>;
  /** Ascends in order of upload or activation: the last one is served. */
  activation: Generated<bigint>;
  state: string;
  content_hash: string;
  files: number;
  bytes: bigint;
  created_at: CreatedAt;
}

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
  state: Generated<string>;
  misconfigured: Generated<boolean>;
  generation: Generated<number>;
  generation_began_at: Timestamp;
  requested_at: Timestamp;
  checked_at: Timestamp | null;
  ownership_proven_at: Timestamp | null;
  observed: ColumnType<object, string | undefined, string>;
  /** Of its zone, as the last check that could tell found them. */
  name_servers: ColumnType<object, string | undefined, string>;
  conflicts: ColumnType<object, string | undefined, string>;
  dns_issues: ColumnType<object, string | undefined, string>;
  certificate_issues: ColumnType<object, string | undefined, string>;
  /** What the owner was told of the certificate last. */
  certificate_alert: string | null;
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
  kind: string;
  due_at: Timestamp | null;
  /** When somebody else than a result last made it due; a request during a try outlives the try's result. */
  requested_at: Timestamp | null;
  claimed_at: Timestamp | null;
  lease_until: Timestamp | null;
  attempt: Generated<number>;
  applied_attempt: Generated<number>;
  failures_in_a_row: Generated<number>;
}

export interface DomainEventTable {
  project_id: string;
  number: bigint;
  domain_id: string;
  type: string;
  from_state: string | null;
  to_state: string;
  detail: string;
  /** Who did it; null for what happened by itself. */
  api_key_id: string | null;
  at: Timestamp;
}

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
  state: string;
  directory_url: string;
  /** RFC 9773 identifier of the certificate it replaces; such orders are exempt from limits. */
  replaces: string | null;
  /** Whether the CA takes the order for a renewal: it had issued a certificate for exactly this name lately. */
  is_renewal: boolean;
  /** Null until it has ended; false when it costs nothing: no order was asked for, or another attempt took its place. */
  ordered: boolean | null;
  failure_class: string | null;
  /** How far it came: what failed at our own gate says nothing about the CA, and limits count by what was reached. */
  failure_stage: string | null;
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

export interface AcmeAccountTable {
  directory_url: string;
  account_url: string;
  thumbprint: string;
  updated_at: Timestamp;
}

/** A text sealed by each key-encryption key that is in use: whoever cannot open it has another key of that name. */
export interface KeyCheckTable {
  key_id: string;
  sealed: string;
  created_at: CreatedAt;
}

/** One row: the counter of the edge feed. Locked last in a transaction, so that versions commit in order. */
export interface EdgeFeedTable {
  epoch: Generated<string>;
  version: Generated<bigint>;
  thumbprint: string | null;
}

/** The newest state of each host; `route` is null when the host is served no more. */
export interface EdgeRouteTable {
  host: string;
  project_id: string;
  version: bigint;
  route: Json | null;
}

export interface EdgeTable {
  id: string;
  epoch: string;
  acked_version: bigint;
  http_address: string;
  https_address: string;
  last_contact_at: Timestamp;
}

export interface WebhookEndpointTable {
  id: Generated<string>;
  /** Ascends in order of creation. */
  number: GeneratedAlways<bigint>;
  organization_id: string;
  /** Null: it is told of everything in the organization. */
  project_id: string | null;
  url: string;
  description: string | null;
  event_types: readonly string[];
  enabled: Generated<boolean>;
  disabled_reason: string | null;
  disabled_at: Timestamp | null;
  /** When it first failed after it last took something. */
  failing_since: Timestamp | null;
  created_at: CreatedAt;
}

/** What requests to an endpoint are signed with: the current one, and for a day the one before it. */
export interface WebhookSecretTable {
  id: Generated<string>;
  endpoint_id: string;
  sealed: string;
  created_at: CreatedAt;
  /** Null for the current one. */
  expires_at: Timestamp | null;
}

/** Something that happened, for one endpoint. The row is the schedule and the outbox, as in `domain_work`. */
export interface WebhookDeliveryTable {
  id: Generated<string>;
  /** Ascends in order of what happened. */
  number: GeneratedAlways<bigint>;
  endpoint_id: string;
  type: string;
  subject_id: string;
  sequence: number;
  body: string;
  state: Generated<string>;
  created_at: CreatedAt;
  /** While a try is under way, the end of its lease. Null once it is delivered or failed. */
  due_at: Timestamp | null;
  lease_until: Timestamp | null;
  attempt: Generated<number>;
  /** Tries that failed since it was recorded or replayed. */
  failures: Generated<number>;
  delivered_at: Timestamp | null;
}

export interface WebhookAttemptTable {
  delivery_id: string;
  number: number;
  at: Timestamp;
  status: number | null;
  duration_ms: number;
  error: string | null;
  body_start: string | null;
}

export interface Tables {
  organizations: OrganizationTable;
  api_keys: ApiKeyTable;
  sessions: SessionTable;
  idempotent_answers: IdempotentAnswerTable;
  pets: PetTable;
  orders: OrderTable;
  deprecated_calls: DeprecatedCallTable;
  projects: ProjectTable;
  deployments: DeploymentTable;
  domain_claims: DomainClaimTable;
  domains: DomainTable;
  domain_work: DomainWorkTable;
  domain_events: DomainEventTable;
  certificates: CertificateTable;
  acme_accounts: AcmeAccountTable;
  webhook_endpoints: WebhookEndpointTable;
  webhook_secrets: WebhookSecretTable;
  webhook_deliveries: WebhookDeliveryTable;
  webhook_attempts: WebhookAttemptTable;
  key_checks: KeyCheckTable;
  edge_feed: EdgeFeedTable;
  edge_routes: EdgeRouteTable;
  edges: EdgeTable;
}
