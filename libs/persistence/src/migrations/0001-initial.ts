import { sql, type Kysely } from 'kysely';

/** Frozen in time, as every migration: it says what the database was, not what the code is. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table organizations (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    plan text not null check (plan in ('free', 'pro', 'enterprise')),
    created_at timestamptz not null default now()
  )`,
  `create table api_keys (
    id uuid primary key default gen_random_uuid(),
    organization_id uuid not null references organizations,
    name text not null,
    hash bytea not null unique,
    display text not null,
    created_at timestamptz not null default now(),
    revoked_at timestamptz
  )`,
  `create table pets (
    id bigint generated always as identity primary key,
    organization_id uuid not null references organizations,
    name text not null,
    category_id bigint not null,
    status text not null check (status in ('available', 'pending', 'sold')),
    created_at timestamptz not null default now()
  )`,
  `create index pets_by_organization on pets (organization_id, id)`,
  `create index pets_by_status on pets (organization_id, status, id)`,
  `create table projects (
    id uuid primary key default gen_random_uuid(),
    organization_id uuid not null references organizations,
    name text not null,
    slug text not null constraint projects_slug_unique unique,
    domain_config jsonb not null default '{"domains":{"redirects":[]}}',
    event_number bigint not null default 0,
    created_at timestamptz not null default now()
  )`,
  `create index projects_by_organization on projects (organization_id, created_at)`,
  `create table deployments (
    id uuid primary key default gen_random_uuid(),
    project_id uuid not null references projects,
    number bigint generated always as identity,
    state text not null check (state in ('ready')),
    content_hash text not null,
    files integer not null,
    bytes bigint not null,
    created_at timestamptz not null default now()
  )`,
  `create index deployments_newest on deployments (project_id, number desc)`,
  `create table domain_claims (
    organization_id uuid not null references organizations,
    name text not null,
    target_token text not null unique,
    ownership_token text not null,
    verified_at timestamptz,
    created_at timestamptz not null default now(),
    primary key (organization_id, name)
  )`,
  `create index domain_claims_by_name on domain_claims (name)`,
  `create table domains (
    id uuid primary key default gen_random_uuid(),
    organization_id uuid not null references organizations,
    project_id uuid not null references projects,
    name text not null,
    unicode_name text not null,
    apex_name text not null,
    state text not null default 'awaiting_dns' check (state in ('awaiting_dns', 'verified', 'live', 'removed')),
    misconfigured boolean not null default false,
    generation integer not null default 1,
    generation_began_at timestamptz not null,
    requested_at timestamptz not null,
    checked_at timestamptz,
    ownership_proven_at timestamptz,
    observed jsonb not null default '[]',
    conflicts jsonb not null default '[]',
    dns_issues jsonb not null default '[]',
    certificate_issues jsonb not null default '[]',
    removed_version bigint,
    created_at timestamptz not null default now(),
    verified_at timestamptz,
    live_at timestamptz,
    removed_at timestamptz,
    foreign key (organization_id, name) references domain_claims
  )`,
  `create unique index domains_one_holder on domains (name) where state in ('verified', 'live')`,
  `create unique index domains_once_an_organization on domains (organization_id, name) where state <> 'removed'`,
  `create index domains_by_project on domains (project_id, created_at)`,
  `create table domain_work (
    domain_id uuid not null references domains,
    kind text not null check (kind in ('dns', 'reverify', 'issuance', 'probe')),
    due_at timestamptz,
    requested_at timestamptz,
    claimed_at timestamptz,
    lease_until timestamptz,
    attempt integer not null default 0,
    applied_attempt integer not null default 0,
    failures_in_a_row integer not null default 0,
    primary key (domain_id, kind)
  )`,
  `create index domain_work_due on domain_work (due_at) where due_at is not null`,
  `create table domain_events (
    project_id uuid not null references projects,
    number bigint not null,
    domain_id uuid not null references domains,
    type text not null,
    from_state text,
    to_state text not null,
    detail text not null,
    at timestamptz not null,
    primary key (project_id, number)
  )`,
  `create index domain_events_by_domain on domain_events (domain_id, number)`,
  `create table certificates (
    id uuid primary key default gen_random_uuid(),
    domain_id uuid not null references domains,
    organization_id uuid not null references organizations,
    generation integer not null,
    attempt integer not null,
    state text not null default 'pending' check (state in ('pending', 'issued')),
    directory_url text not null,
    csr_pem text not null,
    sealed_key text not null,
    chain_pem text,
    leaf_sha256 text,
    issuer text,
    not_before timestamptz,
    not_after timestamptz,
    renew_at timestamptz,
    created_at timestamptz not null default now(),
    issued_at timestamptz,
    unique (domain_id, generation, attempt)
  )`,
  `create index certificates_newest on certificates (domain_id, issued_at desc) where state = 'issued'`,
  `create table acme_accounts (
    directory_url text primary key,
    account_url text not null,
    thumbprint text not null,
    updated_at timestamptz not null
  )`,
  `create table edge_feed (
    only_row boolean primary key default true check (only_row),
    epoch uuid not null default gen_random_uuid(),
    version bigint not null default 0,
    thumbprint text
  )`,
  `insert into edge_feed default values`,
  `create table edge_routes (
    host text primary key,
    project_id uuid not null references projects,
    version bigint not null,
    route jsonb
  )`,
  `create index edge_routes_by_version on edge_routes (version)`,
  `create index edge_routes_by_project on edge_routes (project_id)`,
  `create table edges (
    id text primary key,
    epoch uuid not null,
    acked_version bigint not null,
    http_address text not null,
    https_address text not null,
    last_contact_at timestamptz not null
  )`,
];
