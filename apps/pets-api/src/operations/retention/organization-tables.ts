import type { LimitName } from '@pets/contracts';
import type { Tables } from '@pets/persistence';

/** Cause that ends the rows of a table. */
type RowEnd =
  /** A rule of `retention-rules.ts`. */
  | 'age'
  /** The row that it belongs to ends. */
  | 'parent'
  /** Nothing needs it any more; the feature deletes it. */
  | 'unused'
  /** A request of the customer. */
  | 'request'
  /** The operator. */
  | 'operator'
  | 'never';

/** Bound on the number of the rows. */
type RowBound =
  | LimitName
  /** A fixed number for each row that it belongs to. */
  | 'parent'
  | 'operator'
  /** `requestsPerMinute`, times what a request writes, for as long as rows are kept: never refused for their bytes. */
  | 'requests';

interface OrganizationTable {
  readonly ends: RowEnd;
  readonly bound: RowBound;
}

/**
 * Every table with rows of an organization. All count in its `databaseBytes`. A test compares the list with a migrated
 * database, so a new table needs an entry.
 */
export const organizationTables = {
  organization_limits: { ends: 'operator', bound: 'operator' },
  organization_bytes: { ends: 'never', bound: 'parent' },
  organization_storage: { ends: 'never', bound: 'parent' },
  plan_changes: { ends: 'operator', bound: 'parent' },
  suspensions: { ends: 'operator', bound: 'operator' },
  api_keys: { ends: 'age', bound: 'apiKeys' },
  sessions: { ends: 'age', bound: 'parent' },
  people: { ends: 'age', bound: 'operator' },
  invitations: { ends: 'age', bound: 'parent' },
  audit_events: { ends: 'age', bound: 'requests' },
  idempotent_answers: { ends: 'age', bound: 'requests' },
  deprecated_calls: { ends: 'age', bound: 'parent' },
  pets: { ends: 'request', bound: 'requests' },
  orders: { ends: 'request', bound: 'requests' },
  projects: { ends: 'never', bound: 'projects' },
  deployments: { ends: 'unused', bound: 'databaseBytes' },
  channels: { ends: 'unused', bound: 'channelsPerProject' },
  origins: { ends: 'request', bound: 'origins' },
  origin_health: { ends: 'parent', bound: 'parent' },
  origin_votes: { ends: 'parent', bound: 'operator' },
  bundles: { ends: 'unused', bound: 'databaseBytes' },
  organization_objects: { ends: 'unused', bound: 'databaseBytes' },
  uploads: { ends: 'unused', bound: 'concurrentUploads' },
  deployment_uploads: { ends: 'age', bound: 'requests' },
  domains: { ends: 'age', bound: 'databaseBytes' },
  domain_claims: { ends: 'age', bound: 'databaseBytes' },
  domain_counts: { ends: 'never', bound: 'parent' },
  domain_changes: { ends: 'parent', bound: 'parent' },
  domain_work: { ends: 'parent', bound: 'parent' },
  domain_metadata: { ends: 'parent', bound: 'parent' },
  project_events: { ends: 'age', bound: 'requests' },
  domain_imports: { ends: 'age', bound: 'databaseBytes' },
  domain_import_pieces: { ends: 'parent', bound: 'databaseBytes' },
  wildcard_exclusions: { ends: 'parent', bound: 'parent' },
  setup_links: { ends: 'age', bound: 'parent' },
  setup_pages: { ends: 'never', bound: 'parent' },
  certificates: { ends: 'age', bound: 'parent' },
  certificate_revocations: { ends: 'age', bound: 'parent' },
  queued_orders: { ends: 'unused', bound: 'parent' },
  edge_routes: { ends: 'unused', bound: 'parent' },
  webhook_endpoints: { ends: 'request', bound: 'webhookEndpoints' },
  webhook_listeners: { ends: 'unused', bound: 'eventStreams' },
  webhook_secrets: { ends: 'age', bound: 'parent' },
  webhook_slots: { ends: 'unused', bound: 'parent' },
  webhook_deliveries: { ends: 'age', bound: 'databaseBytes' },
  webhook_attempts: { ends: 'parent', bound: 'parent' },
  webhook_statistics: { ends: 'age', bound: 'parent' },
} as const satisfies Partial<Record<keyof Tables | 'domain_metadata', OrganizationTable>>;

/** SQL for the organization of a row `t`, by a column that it has; the first one that a table has counts. */
export const organizationOfColumn = {
  organization_id: `t.organization_id`,
  origin_id: `(select o.organization_id from origins o where o.id = t.origin_id)`,
  project_id: `(select p.organization_id from projects p where p.id = t.project_id)`,
  domain_id: `(select d.organization_id from domains d where d.id = t.domain_id)`,
  endpoint_id: `(select e.organization_id from webhook_endpoints e where e.id = t.endpoint_id)`,
  delivery_id: `(select e.organization_id from webhook_deliveries d join webhook_endpoints e on e.id = d.endpoint_id
    where d.id = t.delivery_id)`,
  import_id: `(select i.organization_id from domain_imports i where i.id = t.import_id)`,
  certificate_id: `(select d.organization_id from certificates c join domains d on d.id = c.domain_id
    where c.id = t.certificate_id)`,
  api_key_id: `(select k.organization_id from api_keys k where k.id = t.api_key_id)`,
} as const;
