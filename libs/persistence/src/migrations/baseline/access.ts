/** Organizations, keys, sessions, people, limits and the audit log. */
export const access: readonly string[] = [
  // What `seal` has encrypted: `keys rewrap` covers every column of this type.
  `create domain sealed_text as text`,
  `create table organizations (
    id uuid default gen_random_uuid() primary key,
    name text not null,
    plan text not null check (plan in ('free', 'pro', 'enterprise')),
    created_at timestamptz not null default now()
  )`,
  `create table api_keys (
    id uuid default gen_random_uuid() primary key,
    organization_id uuid not null references organizations,
    name text not null,
    hash bytea not null unique,
    display text not null,
    created_at timestamptz not null default now(),
    revoked_at timestamptz,
    scopes text[] not null constraint api_keys_scopes_known check (
      scopes <@ array[
        'pets:read', 'pets:write', 'orders:read', 'orders:write', 'domains:read', 'domains:write', 'projects:read',
        'projects:write', 'webhooks:read', 'webhooks:write', 'keys:read', 'keys:write', 'audit:read', 'people:read',
        'people:write', 'owners:write'
      ] and cardinality(scopes) > 0
    ),
    expires_at timestamptz,
    last_used_at timestamptz,
    is_person boolean not null default false,
    created_by_kind text,
    created_by_id uuid,
    created_by_display text,
    person_id uuid,
    revocation_reason text,
    left_behind_at timestamptz,
    -- Only the row of a person, below which sessions are, has no creator.
    constraint api_keys_created check (is_person = (created_by_kind is null))
  )`,
  `create index api_keys_by_organization on api_keys (organization_id, created_at)`,
  // Live keys are those whose end is in the future.
  `create index api_keys_by_end on api_keys (organization_id, coalesce(least(revoked_at, expires_at), 'infinity'))`,
  `create index api_keys_ended on api_keys (least(revoked_at, expires_at))
    where least(revoked_at, expires_at) is not null`,
  `create table sessions (
    id uuid default gen_random_uuid() primary key,
    api_key_id uuid not null references api_keys,
    hash bytea not null unique,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  `create index sessions_by_api_key on sessions (api_key_id, expires_at)`,
  `create index sessions_by_expiry on sessions (expires_at)`,
  `create table key_checks (
    key_id text primary key,
    sealed text not null,
    created_at timestamptz not null default now()
  )`,
  `create table people (
    id uuid default gen_random_uuid() primary key,
    organization_id uuid not null references organizations,
    issuer text not null,
    subject text not null,
    name text,
    email text,
    role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
    api_key_id uuid unique references api_keys on delete set null,
    created_at timestamptz not null default now(),
    last_sign_in_at timestamptz not null,
    removed_at timestamptz,
    added_by_claim boolean not null default false,
    removed_by_claim boolean not null default false
  )`,
  // A person belongs to one organization.
  `create unique index people_by_subject on people (issuer, subject) where removed_at is null`,
  `create index people_by_organization on people (organization_id, created_at, id) where removed_at is null`,
  `create index people_removed_by_subject on people (issuer, subject) where removed_at is not null`,
  `create index people_by_end on people (removed_at)
    where removed_at is not null and (removed_by_claim or (name is not null) or (email is not null))`,
  `create table invitations (
    id uuid default gen_random_uuid() primary key,
    organization_id uuid not null references organizations,
    name text not null,
    role text not null check (role in ('owner', 'admin', 'developer', 'viewer')),
    hash bytea not null unique,
    api_key_id uuid references api_keys on delete cascade,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  `create index invitations_by_organization on invitations (organization_id, created_at, id)`,
  `create index invitations_by_api_key on invitations (api_key_id)`,
  `create index invitations_by_expiry on invitations (expires_at)`,
  // Names are checked by the code: a later version adds a limit with rows, and this one passes over names it does not know.
  `create table plan_limits (
    plan text,
    name text,
    value bigint not null check (value between 0 and 9007199254740991),
    primary key (plan, name)
  )`,
  `create table organization_limits (
    organization_id uuid references organizations on delete cascade,
    name text,
    value bigint not null check (value between 0 and 9007199254740991),
    primary key (organization_id, name)
  )`,
  `create table organization_bytes (
    organization_id uuid primary key references organizations on delete cascade,
    bytes bigint not null default 0,
    measured_at timestamptz,
    import_day date,
    import_bytes bigint not null default 0
  ) with (fillfactor = 80)`,
  `create table plan_changes (
    organization_id uuid primary key references organizations on delete cascade,
    action text not null check (action in ('suspend', 'resume')),
    since timestamptz not null
  )`,
  `create index plan_changes_by_action on plan_changes (action, since)`,
  `create table audit_events (
    organization_id uuid references organizations,
    number bigint generated always as identity,
    id uuid not null default gen_random_uuid(),
    at timestamptz not null default now(),
    type text not null,
    actor_kind text not null,
    actor_id uuid,
    actor_display text,
    address inet,
    request_id text,
    subject_kind text not null,
    subject_id text not null,
    detail jsonb not null,
    primary key (organization_id, number)
  )`,
  `create index audit_events_by_time on audit_events (at)`,
  // Filters of the list. Events without an actor, by operators and the system, are read in the order of all.
  `create index audit_events_by_type on audit_events (organization_id, type, number)`,
  `create index audit_events_by_actor on audit_events (organization_id, actor_id, number) where actor_id is not null`,
  `create index audit_events_by_subject on audit_events (organization_id, subject_id, number)`,
  // Retention alone may delete, and says so in its transaction. Not even that can touch what is younger than a day.
  `create function refuse_audit_change() returns trigger language plpgsql as $$
    begin
      if tg_op = 'DELETE' and current_setting('pets.audit_retention', true) = 'on' and old.at < now() - interval '1 day' then
        return old;
      end if;
      raise exception 'audit events are append-only';
    end
  $$`,
  `create trigger audit_events_append_only before delete or update on audit_events
    for each row execute function refuse_audit_change()`,
  `create trigger audit_events_not_truncated before truncate on audit_events
    for each statement execute function refuse_audit_change()`,
  // The day is the UTC date as text: a date column would be read in the time zone of the process.
  `create table deprecated_calls (
    operation text,
    day text check (day ~ '^\\d{4}-\\d{2}-\\d{2}$'),
    api_key_id uuid,
    calls bigint not null,
    primary key (operation, day, api_key_id)
  )`,
  `create index deprecated_calls_by_day on deprecated_calls (day)`,
  `create table idempotent_answers (
    api_key_id uuid references api_keys,
    path text,
    key text check (length(key) between 1 and 255),
    fingerprint bytea not null,
    location text,
    answer sealed_text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    primary key (api_key_id, path, key)
  )`,
  `create index idempotent_answers_by_expiry on idempotent_answers (expires_at)`,
  `create index idempotent_answers_by_encryption_key on idempotent_answers (split_part(answer, '.', 2))
    where answer <> ''`,
  `insert into plan_limits (name, plan, value)
    select name, plan, value
    from (values
      ('domainsPerProject', 0, 1000, 100000),
      ('projects', 10, 100, 1000),
      ('apiKeys', 100, 100, 100),
      ('webhookEndpoints', 20, 20, 20),
      ('concurrentUploads', 2, 5, 10),
      ('storageBytes', 1073741824, 21474836480, 214748364800),
      ('keptDeployments', 10, 20, 50),
      ('channelsPerProject', 10, 50, 50),
      ('origins', 10, 200, 2000),
      ('databaseBytes', 1073741824, 21474836480, 214748364800),
      ('importBytesPerDay', 134217728, 1073741824, 4294967296)
    ) as seed (name, free, pro, enterprise),
    lateral (values ('free', free), ('pro', pro), ('enterprise', enterprise)) as of_plan (plan, value)`,
];
