/** Webhook endpoints, deliveries and statistics. */
export const webhooks: readonly string[] = [
  `create table webhook_endpoints (
    id uuid default gen_random_uuid() primary key,
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
    paused_at timestamptz,
    timeouts smallint not null default 0,
    constraint webhook_endpoints_disabled
      check (enabled = (disabled_reason is null) and enabled = (disabled_at is null))
  )`,
  `create index webhook_endpoints_by_organization on webhook_endpoints (organization_id, number)`,
  `create table webhook_secrets (
    id uuid default gen_random_uuid() primary key,
    endpoint_id uuid not null references webhook_endpoints on delete cascade,
    sealed sealed_text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz
  )`,
  `create unique index webhook_secrets_current on webhook_secrets (endpoint_id) where expires_at is null`,
  `create index webhook_secrets_by_endpoint on webhook_secrets (endpoint_id)`,
  // For the deletion of ended secrets.
  `create index webhook_secrets_by_end on webhook_secrets (expires_at) where expires_at is not null`,
  `create table webhook_listeners (
    id uuid default gen_random_uuid() primary key,
    number bigint generated always as identity,
    organization_id uuid not null references organizations on delete cascade,
    project_id uuid references projects on delete cascade,
    event_types text[] not null check (cardinality(event_types) > 0),
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  `create index webhook_listeners_by_organization on webhook_listeners (organization_id)`,
  // Without a foreign key to the endpoint: an animal must be created whatever becomes of an endpoint at that moment, and
  // without every creation locking the endpoint's row.
  `create table webhook_deliveries (
    id uuid default gen_random_uuid() primary key,
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
  // Most deliveries are delivered, so lists of the others need an index.
  `create index webhook_deliveries_not_delivered on webhook_deliveries (endpoint_id, state, number)
    where state <> 'delivered'`,
  `create index webhook_deliveries_by_subject on webhook_deliveries (endpoint_id, subject_id, number)`,
  `create table webhook_attempts (
    delivery_id uuid references webhook_deliveries on delete cascade,
    number integer,
    at timestamptz not null,
    status integer,
    duration_ms integer not null,
    error text,
    body_start text,
    request_headers jsonb,
    response_headers jsonb,
    primary key (delivery_id, number)
  )`,
  // Statistics read at most 169 rows of an endpoint, however many deliveries it has.
  `create table webhook_statistics (
    endpoint_id uuid references webhook_endpoints on delete cascade,
    hour timestamptz,
    delivered integer not null,
    failed_attempts integer not null,
    failed integer not null,
    durations integer[] not null,
    primary key (endpoint_id, hour)
  ) with (fillfactor = 80)`,
  `create index webhook_statistics_by_hour on webhook_statistics (hour)`,
  `create table webhook_slots (
    delivery_id uuid,
    attempt integer,
    organization_id uuid not null,
    endpoint_id uuid not null,
    receiver text not null,
    is_slow boolean not null,
    lease_until timestamptz not null,
    primary key (delivery_id, attempt)
  )`,
  // Rows that are done have earlier leases, so a reader skips them also while an old transaction keeps them.
  `create index webhook_slots_by_lease on webhook_slots (lease_until)`,
  // The body of a request, in one form wherever it is made: members in this order, without spaces, times as JavaScript
  // writes them.
  `create function webhook_body(type text, at timestamptz, sequence bigint, shown text) returns text
    language sql stable strict as $$ select
      '{"type":"' || type || '","timestamp":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
      || '","sequence":' || sequence || ',"data":' || shown || '}' $$`,
  // The one way to add the deliveries of an event: one for each subscription to it. Subscriptions of a project get the
  // events of "projects"; those without a project get all of the organization. In a function, since PostgreSQL prepares
  // for every insertion that a statement may do, and for what a function does only when it is called.
  `create function enqueue_deliveries(
    organization uuid, projects uuid[], event text, subject text, sequence bigint, at timestamptz, shown text
  ) returns void
    language plpgsql as $$
    begin
      insert into webhook_deliveries (endpoint_id, type, subject_id, sequence, created_at, body)
      select s.id, event, subject, sequence, at, webhook_body(event, at, sequence, shown)
      from webhook_subscriptions s
      where s.organization_id = organization and event = any(s.event_types)
        and (s.project_id is null or s.project_id = any(projects))
      order by s.number;
      perform pg_notify('webhook_deliveries', '');
    end $$`,
  `create view webhook_subscriptions as
    select id, number, organization_id, project_id, event_types from webhook_endpoints
    where enabled and paused_at is null
    union all
    select id, number, organization_id, project_id, event_types from webhook_listeners where expires_at > now()`,
];
