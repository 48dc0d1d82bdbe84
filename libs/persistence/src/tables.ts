import type { ColumnType, Generated } from 'kysely';
import type {
  ApiKeyTable,
  AuditEventTable,
  IdempotentAnswerTable,
  InvitationTable,
  OrganizationBytesTable,
  OrganizationLimitTable,
  OrganizationTable,
  PersonTable,
  PlanChangeTable,
  PlanLimitTable,
  SessionTable,
} from './tables/access.js';
import type {
  AcmeAccountTable,
  CaPauseTable,
  CertificateRevocationTable,
  CertificateTable,
  KeyCheckTable,
  LimitedDomainTable,
  QueuedOrderTable,
  UnusedKeyPositionTable,
} from './tables/certificates.js';
import type { Timestamp } from './tables/column-types.js';
import type {
  BlockedNameTable,
  DomainChangeTable,
  DomainClaimTable,
  DomainCountTable,
  DomainEventTable,
  DomainImportPieceTable,
  DomainImportTable,
  DomainTable,
  DomainWorkTable,
  SetupLinkTable,
  SetupPageTable,
  SuspensionTable,
  WildcardExclusionTable,
} from './tables/domains.js';
import type { EdgeFeedTable, EdgeRouteTable, EdgeSnapshotTable, EdgeTable, PublicAddressTable } from './tables/edge.js';
import type {
  BundleTable,
  ChannelTable,
  DeploymentTable,
  DeploymentUploadTable,
  OrganizationObjectTable,
  OrganizationStorageTable,
  OriginHealthTable,
  OriginTable,
  OriginVoteTable,
  ProjectTable,
  StoredObjectTable,
  UploadTable,
} from './tables/projects.js';
import type { DeprecatedCallTable, OrderTable, PetTable } from './tables/store.js';
import type {
  WebhookAttemptTable,
  WebhookDeliveryTable,
  WebhookEndpointTable,
  WebhookListenerTable,
  WebhookSecretTable,
  WebhookSlotTable,
  WebhookStatisticsTable,
  WebhookSubscriptionView,
} from './tables/webhooks.js';

/**
 * The tables for Kysely. int8 columns are `bigint`, times are `Date`. JSON columns are written as text and read as values.
 * Text columns with a set of values have the union of `@pets/contracts`; the database checks most of them as well.
 */
export interface Tables {
  organizations: OrganizationTable;
  plan_limits: PlanLimitTable;
  plan_changes: PlanChangeTable;
  organization_limits: OrganizationLimitTable;
  organization_bytes: OrganizationBytesTable;
  api_keys: ApiKeyTable;
  sessions: SessionTable;
  people: PersonTable;
  invitations: InvitationTable;
  audit_events: AuditEventTable;
  idempotent_answers: IdempotentAnswerTable;
  pets: PetTable;
  orders: OrderTable;
  deprecated_calls: DeprecatedCallTable;
  projects: ProjectTable;
  deployments: DeploymentTable;
  channels: ChannelTable;
  uploads: UploadTable;
  deployment_uploads: DeploymentUploadTable;
  bundles: BundleTable;
  stored_objects: StoredObjectTable;
  organization_objects: OrganizationObjectTable;
  organization_storage: OrganizationStorageTable;
  origins: OriginTable;
  origin_health: OriginHealthTable;
  origin_votes: OriginVoteTable;
  domain_claims: DomainClaimTable;
  domain_counts: DomainCountTable;
  domains: DomainTable;
  domain_changes: DomainChangeTable;
  domain_work: DomainWorkTable;
  setup_links: SetupLinkTable;
  setup_pages: SetupPageTable;
  domain_imports: DomainImportTable;
  domain_import_pieces: DomainImportPieceTable;
  /** Lines of history, in a partition for each quarter. */
  project_events: DomainEventTable;
  /** The partition for times without one. */
  project_events_rest: DomainEventTable;
  suspensions: SuspensionTable;
  blocked_names: BlockedNameTable;
  wildcard_exclusions: WildcardExclusionTable;
  certificates: CertificateTable;
  certificate_revocations: CertificateRevocationTable;
  queued_orders: QueuedOrderTable;
  limited_domains: LimitedDomainTable;
  ca_pauses: CaPauseTable;
  acme_accounts: AcmeAccountTable;
  webhook_endpoints: WebhookEndpointTable;
  webhook_listeners: WebhookListenerTable;
  webhook_subscriptions: WebhookSubscriptionView;
  webhook_secrets: WebhookSecretTable;
  webhook_deliveries: WebhookDeliveryTable;
  webhook_attempts: WebhookAttemptTable;
  webhook_slots: WebhookSlotTable;
  webhook_statistics: WebhookStatisticsTable;
  shared_readings: SharedReadingTable;
  key_checks: KeyCheckTable;
  unused_key_positions: UnusedKeyPositionTable;
  retention_tasks: RetentionTaskTable;
  edge_feed: EdgeFeedTable;
  edge_routes: EdgeRouteTable;
  edge_snapshots: EdgeSnapshotTable;
  edges: EdgeTable;
  public_addresses: PublicAddressTable;
}

/** A reading for the metrics that one replica makes for all of them. */
interface SharedReadingTable {
  name: string;
  /** Null before the first one. */
  value: ColumnType<object | null, string | undefined, string>;
  read_at: Timestamp | null;
  /** When it is made again. During a reading, the end of its lease. */
  due_at: Timestamp;
}

/** The deletion of old rows of one table. The lock on its row lets one process at a time delete. */
interface RetentionTaskTable {
  /** The table. */
  name: string;
  next_at: Generated<Date>;
  /** Position at which the next batch continues; null at the beginning. */
  position: string | null;
  /** When everything old was deleted last. */
  completed_at: Generated<Date>;
  /** The time of the oldest row then. */
  oldest_at: Timestamp | null;
}
