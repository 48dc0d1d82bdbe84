/**
 * Estimates the bytes of each organization by samples: of every table some blocks, the same number however large it is, down to
 * a thousandth of them. So the cost of an estimate does not follow the number of rows, and nothing is counted in transactions.
 * A table of up to 16 MB is read completely. Rows count with their index entries, and without what waits for a vacuum.
 */
import { Inject, Injectable } from '@nestjs/common';
import type { LimitName } from '@pets/contracts';
import type { Database, Tables } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

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

const BLOCK_BYTES = 8_192;
const MIN_BLOCKS = 2_048;
const MIN_SHARE = 0.001;
/** Header and line pointer of a row. */
const ROW_BYTES = 28;
/** An index entry of a key of a few columns. */
const INDEX_ENTRY_BYTES = 40;
const STATEMENT_LIMIT_MS = 5_000;
/** Organizations a statement. */
const SAVED_AT_ONCE = 1_000;
const TASK = 'database_bytes';
/** Another process takes over from one that died after this time. */
const LEASE = sql`interval '5 minutes'`;

/** A table as the catalog describes it. */
interface MeasuredTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Number of indexes with an entry for every row. */
  readonly indexes: number;
  readonly bytes: number;
}

/** An organization that is over its limit, or has endpoints that are paused for it. */
export interface LimitedOrganization {
  readonly id: string;
  readonly bytes: number;
  readonly limit: number;
}

@Injectable()
export class DatabaseBytesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** @returns when the estimate begins; null when it is not due, or another process makes it */
  async beginEstimate(): Promise<Date | null> {
    await sql`insert into retention_tasks (name) values (${TASK}) on conflict do nothing`.execute(this.db);
    const { rows } = await sql<{ at: Date }>`
      update retention_tasks set next_at = now() + ${LEASE} where name = ${TASK} and next_at <= now()
      returning now() as at`.execute(this.db);
    return rows[0]?.at ?? null;
  }

  async complete(pauseMs: number): Promise<void> {
    await sql`
      update retention_tasks set completed_at = now(), next_at = now() + make_interval(secs => ${pauseMs / 1_000}::float8)
      where name = ${TASK}`.execute(this.db);
  }

  async listTables(): Promise<readonly MeasuredTable[]> {
    const { rows } = await sql<MeasuredTable>`
      select c.relname as name,
        (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
        (select count(*) from pg_index i where i.indrelid = c.oid and i.indpred is null)::integer as indexes,
        case c.relkind
          when 'p' then (select coalesce(sum(pg_relation_size(l.relid)), 0) from pg_partition_tree(c.oid) l where l.isleaf)
          else pg_relation_size(c.oid) end::float8 as bytes
      from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname = any(${Object.keys(organizationTables)}::text[])
      order by c.relname`.execute(this.db);
    return rows;
  }

  /** Adds the bytes of a table to those of the organizations. */
  async addTable(table: MeasuredTable, sums: Map<string, number>): Promise<void> {
    const statement = sampleStatement(table);
    if (statement === null) return;
    const { rows } = await this.db.transaction().execute(async (tx) => {
      await sql`select set_config('statement_timeout', ${String(STATEMENT_LIMIT_MS)}, true)`.execute(tx);
      return sql.raw<{ id: string; bytes: number }>(statement).execute(tx);
    });
    for (const { id, bytes } of rows) sums.set(id, (sums.get(id) ?? 0) + bytes);
  }

  async save(sums: ReadonlyMap<string, number>, at: Date): Promise<void> {
    const all = [...sums];
    for (let from = 0; from < all.length; from += SAVED_AT_ONCE) {
      const some = all.slice(from, from + SAVED_AT_ONCE);
      await sql`
        insert into organization_bytes (organization_id, bytes, measured_at)
        select o.id, n.bytes, ${at}
        from unnest(${some.map(([id]) => id)}::uuid[], ${some.map(([, bytes]) => Math.round(bytes))}::bigint[]) n (id, bytes)
        join organizations o on o.id = n.id
        on conflict (organization_id) do update set bytes = excluded.bytes, measured_at = excluded.measured_at`.execute(
        this.db,
      );
    }
    await sql`
      update organization_bytes set bytes = 0, measured_at = ${at}
      where measured_at is null or measured_at < ${at}`.execute(this.db);
  }

  async listLimited(): Promise<readonly LimitedOrganization[]> {
    const { rows } = await sql<LimitedOrganization>`
      select b.organization_id as id, b.bytes::float8 as bytes, l.value::float8 as "limit"
      from organization_bytes b join organizations o on o.id = b.organization_id
      cross join lateral (
        select coalesce(
          (select value from organization_limits where organization_id = o.id and name = 'databaseBytes'),
          (select value from plan_limits where plan = o.plan and name = 'databaseBytes'), 0
        ) as value
      ) l
      where b.bytes > l.value
        or exists (select from webhook_endpoints e where e.organization_id = o.id and e.paused_at is not null)`.execute(
      this.db,
    );
    return rows;
  }
}

/** Null for a table without a column that leads to an organization. The text has names of the catalog only. */
export function sampleStatement({ name, columns, indexes, bytes }: MeasuredTable): string | null {
  const owner = Object.entries(organizationOfColumn).find(([column]) => columns.includes(column))?.[1];
  if (owner === undefined) return null;
  const blocks = Math.max(1, bytes / BLOCK_BYTES);
  const share = Math.min(1, Math.max(MIN_BLOCKS / blocks, MIN_SHARE));
  const sample = share === 1 ? '' : `tablesample system (${100 * share})`;
  const sizes = columns.map((column) => `coalesce(pg_column_size(t."${column}"), 0)`);
  return `
    select s.id::text as id, (sum(s.bytes) / ${share})::float8 as bytes
    from (
      select ${owner} as id, ${ROW_BYTES + INDEX_ENTRY_BYTES * indexes} + ${sizes.join(' + ')} as bytes
      from "${name}" t ${sample}
    ) s where s.id is not null group by s.id`;
}
