import { sql, type Kysely } from 'kysely';

/**
 * The bytes of each organization in the database, limits for them, and endpoints that are paused at the limit. Frozen in time,
 * as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table organization_bytes (
    organization_id uuid primary key references organizations on delete cascade,
    -- As they were estimated last.
    bytes bigint not null default 0,
    -- When that estimate began; null before the first one.
    measured_at timestamptz,
    -- The day of the last import, and the bytes of its imports.
    import_day date,
    import_bytes bigint not null default 0
  ) with (fillfactor = 80)`,
  // Of the file; while it is uploaded, the bytes that it may have.
  `alter table domain_imports add column bytes bigint not null default 0`,
  `alter table webhook_endpoints add column paused_at timestamptz`,
  // As in 0073, without paused endpoints: their waiting deliveries are still sent, no new ones are recorded.
  `create or replace view webhook_subscriptions as
    select id, number, organization_id, project_id, event_types from webhook_endpoints
    where enabled and paused_at is null
    union all
    select id, number, organization_id, project_id, event_types from webhook_listeners where expires_at > now()`,
  `insert into plan_limits (name, plan, value)
    select name, plan, value
    from (values
      ('databaseBytes', 1073741824, 21474836480, 214748364800),
      ('importBytesPerDay', 134217728, 1073741824, 4294967296)
    ) as seed (name, free, pro, enterprise),
    lateral (values ('free', free), ('pro', pro), ('enterprise', enterprise)) as of_plan (plan, value)
    on conflict do nothing`,
];
