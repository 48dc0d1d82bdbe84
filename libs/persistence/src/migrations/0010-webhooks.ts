import { sql, type Kysely } from 'kysely';

/** Endpoints that are told what happens, their secrets, and what is sent to them. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table webhook_endpoints (
    id uuid primary key default gen_random_uuid(),
    number bigint generated always as identity,
    organization_id uuid not null references organizations,
    project_id uuid references projects,
    url text not null,
    description text,
    event_types text[] not null check (cardinality(event_types) > 0),
    enabled boolean not null default true,
    disabled_reason text check (disabled_reason in ('owner', 'gone', 'failing')),
    disabled_at timestamptz,
    failing_since timestamptz,
    created_at timestamptz not null default now(),
    constraint webhook_endpoints_disabled check (enabled = (disabled_reason is null) and enabled = (disabled_at is null))
  )`,
  `create index webhook_endpoints_by_organization on webhook_endpoints (organization_id, number)`,
  `create table webhook_secrets (
    id uuid primary key default gen_random_uuid(),
    endpoint_id uuid not null references webhook_endpoints on delete cascade,
    sealed text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz
  )`,
  `create unique index webhook_secrets_current on webhook_secrets (endpoint_id) where expires_at is null`,
  `create index webhook_secrets_by_endpoint on webhook_secrets (endpoint_id)`,
  // Without a foreign key to the endpoint: an animal must be created whatever becomes of an endpoint at that moment, and
  // without every creation locking the endpoint's row.
  `create table webhook_deliveries (
    id uuid primary key default gen_random_uuid(),
    number bigint generated always as identity,
    endpoint_id uuid not null,
    type text not null,
    subject_id text not null,
    sequence integer not null check (sequence > 0),
    body text not null,
    state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
    created_at timestamptz not null default now(),
    due_at timestamptz default now(),
    lease_until timestamptz,
    attempt integer not null default 0,
    failures integer not null default 0,
    delivered_at timestamptz,
    constraint webhook_deliveries_due check ((state = 'pending') = (due_at is not null))
  )`,
  `create index webhook_deliveries_by_endpoint on webhook_deliveries (endpoint_id, number)`,
  `create index webhook_deliveries_pending on webhook_deliveries (endpoint_id, due_at) where state = 'pending'`,
  `create index webhook_deliveries_in_order on webhook_deliveries (endpoint_id, subject_id, number)
    where state = 'pending'`,
  `create index webhook_deliveries_by_age on webhook_deliveries (created_at)`,
  `create table webhook_attempts (
    delivery_id uuid not null references webhook_deliveries on delete cascade,
    number integer not null,
    at timestamptz not null,
    status integer,
    duration_ms integer not null,
    error text,
    body_start text,
    primary key (delivery_id, number)
  )`,
  // The body of a request, in one form wherever it is made: members in this order, without spaces, times as JavaScript
  // writes them.
  `create function webhook_body(type text, at timestamptz, sequence bigint, shown text) returns text stable strict
    language sql as $$ select
      '{"type":"' || type || '","timestamp":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      || '","sequence":' || sequence || ',"data":' || shown || '}' $$`,
  // Records what has just been created for every endpoint that wants to be told. What belongs to no project is told to no
  // endpoint that is for one. In a function, since PostgreSQL makes ready for every insertion that a statement may do,
  // and for what a function does only when it is called.
  `create function tell_endpoints(organization uuid, event text, subject text, at timestamptz, shown text)
    returns void language plpgsql as $$
    begin
      insert into webhook_deliveries (endpoint_id, type, subject_id, sequence, created_at, body)
      select e.id, event, subject, 1, at, webhook_body(event, at, 1, shown)
      from webhook_endpoints e
      where e.organization_id = organization and e.enabled and e.project_id is null and event = any(e.event_types);
      perform pg_notify('webhook_deliveries', '');
    end $$`,
  `alter table domains add column event_sequence integer not null default 0`,
];
