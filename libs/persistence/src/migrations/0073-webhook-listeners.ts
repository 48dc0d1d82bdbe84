import { sql, type Kysely } from 'kysely';

/**
 * Open streams that receive webhook events, and one view of all that receive them. Their deliveries are rows of
 * `webhook_deliveries` as well: the version before sends only those of endpoints, so it leaves them alone. Frozen in time, as
 * every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table webhook_listeners (
    id uuid primary key default gen_random_uuid(),
    number bigint generated always as identity,
    organization_id uuid not null references organizations on delete cascade,
    project_id uuid references projects on delete cascade,
    event_types text[] not null check (cardinality(event_types) > 0),
    created_at timestamptz not null default now(),
    -- The server that has the stream sets it forward: nobody else would notice that it is gone.
    expires_at timestamptz not null
  )`,
  `create index webhook_listeners_by_organization on webhook_listeners (organization_id)`,
  `create view webhook_subscriptions as
    select id, number, organization_id, project_id, event_types from webhook_endpoints where enabled
    union all
    select id, number, organization_id, project_id, event_types from webhook_listeners where expires_at > now()`,
  // As in 0010, for all subscriptions.
  `create or replace function tell_endpoints(organization uuid, event text, subject text, at timestamptz, shown text)
    returns void language plpgsql as $$
    begin
      insert into webhook_deliveries (endpoint_id, type, subject_id, sequence, created_at, body)
      select e.id, event, subject, 1, at, webhook_body(event, at, 1, shown)
      from webhook_subscriptions e
      where e.organization_id = organization and e.project_id is null and event = any(e.event_types);
      perform pg_notify('webhook_deliveries', '');
    end $$`,
];
