/** The feed of the edges, and what they report. */
export const edge: readonly string[] = [
  `create table edge_feed (
    only_row boolean default true primary key check (only_row),
    epoch uuid not null default gen_random_uuid(),
    version bigint not null default 0,
    thumbprint text,
    thumbprint_at timestamptz,
    cluster text,
    compacted_version bigint not null default 0,
    platform_certificate uuid
  )`,
  `create table edge_routes (
    host text primary key,
    project_id uuid not null references projects,
    version bigint not null,
    route jsonb,
    traceparent text constraint edge_routes_traceparent
      check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$')
  ) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`,
  `create index edge_routes_by_version on edge_routes (version)`,
  `create index edge_routes_by_project on edge_routes (project_id)`,
  // The order of bytes, which the edges check, whatever the collation of the database.
  `create index edge_routes_served on edge_routes (host collate "C") where route is not null`,
  `create index edge_routes_ended on edge_routes (version) where route is null`,
  `create index edge_routes_served_by_project on edge_routes (project_id) where route is not null`,
  `create index edge_routes_waiting on edge_routes (host) where route -> 'wildcardUntilCertified' is not null`,
  `create table edges (
    id text primary key,
    epoch uuid not null,
    acked_version bigint not null,
    http_address text not null,
    https_address text not null,
    last_contact_at timestamptz not null,
    region text,
    probe_failures integer not null default 0,
    session_id uuid not null
  )`,
  `create table origin_health (
    origin_id uuid primary key references origins on delete cascade,
    state text not null default 'reachable' check (state in ('reachable', 'failing')),
    since timestamptz,
    failure jsonb,
    opposite_since timestamptz,
    announced text not null default 'reachable' check (announced in ('reachable', 'failing')),
    announced_at timestamptz,
    is_watched boolean not null default false,
    event_sequence bigint not null default 0,
    project_id uuid,
    change_number bigint not null default 0
  ) with (fillfactor = 80)`,
  `create index origin_health_watched on origin_health (origin_id) where is_watched`,
  `create index origin_health_by_change on origin_health (project_id, change_number)`,
  `create table origin_votes (
    origin_id uuid not null references origins on delete cascade,
    edge_id text not null references edges on delete cascade,
    failure jsonb,
    primary key (origin_id, edge_id)
  )`,
  `create index origin_votes_by_edge on origin_votes (edge_id)`,
  `create table edge_snapshots (
    id uuid primary key,
    epoch uuid not null,
    version bigint not null,
    chunks integer not null default 0,
    started_at timestamptz not null default now(),
    finished_at timestamptz,
    hosts bigint,
    bytes bigint,
    manifest_sha256 text,
    manifest_bytes integer,
    deleting_at timestamptz
  )`,
  `insert into edge_feed default values`,
];
