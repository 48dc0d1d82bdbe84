/** Projects, deployments and their stored files. */
export const projects: readonly string[] = [
  `create table projects (
    id uuid default gen_random_uuid() primary key,
    organization_id uuid not null references organizations,
    name text not null,
    slug text not null constraint projects_slug_unique unique,
    domain_config jsonb not null default '{"domains": {"redirects": []}}'::jsonb,
    event_number bigint not null default 0,
    created_at timestamptz not null default now(),
    hsts jsonb,
    trailing_slash text not null default 'auto' check (trailing_slash in ('auto', 'always', 'never')),
    change_number bigint not null default 0
  )`,
  `create index projects_by_organization on projects (organization_id, created_at)`,
  // A file of the storage. Deleted with the file.
  `create table stored_objects (
    id bigint generated always as identity primary key,
    key text not null unique,
    bytes bigint not null,
    idle_since timestamptz,
    deleting_at timestamptz
  )`,
  `create index stored_objects_idle on stored_objects (idle_since) where idle_since is not null`,
  // The files of one deployment, or of several of an organization that are the same. Deleted a day after no deployment of
  // them is kept.
  `create table bundles (
    id bigint generated always as identity primary key,
    organization_id uuid not null references organizations,
    content_hash text not null,
    object_ids bigint[] not null,
    idle_since timestamptz,
    unique (organization_id, content_hash)
  )`,
  `create index bundles_idle on bundles (idle_since) where idle_since is not null`,
  `create sequence deployments_activation`,
  `create table deployments (
    id uuid default gen_random_uuid() primary key,
    project_id uuid not null references projects,
    number bigint generated always as identity,
    state text not null check (state in ('ready', 'collected')),
    content_hash text not null,
    files_hash text not null,
    files integer not null,
    bytes bigint not null,
    created_at timestamptz not null default now(),
    activation bigint default nextval('deployments_activation'::regclass),
    bundle_id bigint references bundles,
    collected_at timestamptz,
    message text,
    source jsonb,
    author_kind text,
    author_id uuid,
    author_display text
  )`,
  `alter sequence deployments_activation owned by deployments.activation`,
  `create index deployments_newest on deployments (project_id, number desc)`,
  `create index deployments_served on deployments (project_id, activation desc) where state = 'ready'`,
  `create index deployments_by_bundle on deployments (bundle_id, state) where bundle_id is not null`,
  // Whose files are yet to be given up.
  `create index deployments_to_release on deployments (collected_at)
    where bundle_id is not null and state = 'collected'`,
  // Whose rows are yet to be deleted.
  `create index deployments_collected on deployments (collected_at) where state = 'collected'`,
  // Deleted with a request, or after its end where no domain serves it.
  `create table channels (
    id uuid default gen_random_uuid() primary key,
    project_id uuid not null references projects,
    name text not null,
    deployment_id uuid not null references deployments,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null,
    ends_at timestamptz not null,
    link_key text,
    sealed_link_key sealed_text,
    unique (project_id, name),
    check ((link_key is null) = (sealed_link_key is null))
  )`,
  `create index channels_by_key on channels (split_part(sealed_link_key, '.', 2)) where sealed_link_key <> ''`,
  `create index channels_by_deployment on channels (deployment_id)`,
  `create index channels_by_end on channels (ends_at)`,
  // Deleted when the upload has ended; after its lease, which its process renews, where that process died.
  `create table uploads (
    id uuid default gen_random_uuid() primary key,
    organization_id uuid not null references organizations on delete cascade,
    lease_until timestamptz not null
  )`,
  `create index uploads_by_organization on uploads (organization_id)`,
  `create index uploads_by_lease on uploads (lease_until)`,
  // Of a deployment that sends only the files that its project lacks. Deleted after an hour.
  `create table deployment_uploads (
    id uuid default gen_random_uuid() primary key,
    organization_id uuid not null references organizations on delete cascade,
    project_id uuid not null references projects,
    files_hash text not null,
    held bytea not null,
    allowed text[] not null,
    ignored jsonb not null,
    message text,
    source jsonb,
    channel text,
    access text,
    expires_at timestamptz not null,
    deployment_id uuid
  )`,
  `create index deployment_uploads_by_project on deployment_uploads (project_id, expires_at)`,
  `create index deployment_uploads_by_expiry on deployment_uploads (expires_at)`,
  // In how many of its bundles an organization has a file. Deleted with the last of them.
  `create table organization_objects (
    organization_id uuid references organizations,
    object_id bigint references stored_objects,
    bundles integer not null check (bundles > 0),
    primary key (organization_id, object_id)
  )`,
  `create index organization_objects_by_object on organization_objects (object_id)`,
  // The sum of the bytes of these files.
  `create table organization_storage (
    organization_id uuid primary key references organizations,
    bytes bigint not null check (bytes >= 0)
  )`,
  `create table domain_counts (
    project_id uuid primary key references projects,
    organization_id uuid not null references organizations,
    awaiting_dns integer not null,
    verified integer not null,
    live integer not null,
    misconfigured integer not null
  ) with (fillfactor = 50)`,
  `create index domain_counts_by_organization on domain_counts (organization_id)`,
];
