import type { ApiKeyTable, IdempotentAnswerTable, OrganizationTable, SessionTable } from './tables/access.js';
import type { AcmeAccountTable, CertificateTable, KeyCheckTable } from './tables/certificates.js';
import type { DomainClaimTable, DomainEventTable, DomainTable, DomainWorkTable } from './tables/domains.js';
import type { EdgeFeedTable, EdgeRouteTable, EdgeTable } from './tables/edge.js';
import type { DeploymentTable, ProjectTable } from './tables/projects.js';
import type { DeprecatedCallTable, OrderTable, PetTable } from './tables/store.js';
import type {
  WebhookAttemptTable,
  WebhookDeliveryTable,
  WebhookEndpointTable,
  WebhookSecretTable,
} from './tables/webhooks.js';

/**
 * The tables as Kysely sees them. int8 columns are `bigint`; times are `Date`. JSON columns are written as text and
 * read as values. The value sets of text columns stand in `@pets/contracts` and are checked by the database as well.
 */
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
