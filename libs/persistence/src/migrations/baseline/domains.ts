/** Names: claims, domains, their work, and what stops them. */
export const domains: readonly string[] = [
  `create table domain_claims (
    organization_id uuid references organizations,
    name text,
    target_token text not null unique,
    ownership_token text not null,
    verified_at timestamptz,
    created_at timestamptz not null default now(),
    released_at timestamptz,
    primary key (organization_id, name)
  )`,
  `create index domain_claims_by_name on domain_claims (name)`,
  `create index domain_claims_by_reversed_name on domain_claims (reverse(name) text_pattern_ops)`,
  `create index domain_claims_released on domain_claims (released_at) where released_at is not null`,
  `create index domain_claims_covered on domain_claims (substr(name, strpos(name, '.') + 1), organization_id)
    where verified_at is not null`,
  `create table domains (
    id uuid default gen_random_uuid() primary key,
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
    observed jsonb not null default '[]'::jsonb,
    conflicts jsonb not null default '[]'::jsonb,
    former_records jsonb not null default '[]'::jsonb,
    dns_issues jsonb not null default '[]'::jsonb,
    certificate_issues jsonb not null default '[]'::jsonb,
    removed_version bigint,
    created_at timestamptz not null default now(),
    verified_at timestamptz,
    live_at timestamptz,
    removed_at timestamptz,
    certificate_alert text check (certificate_alert in ('overdue', 'at_risk', 'expiring', 'expired')),
    traffic_stopped_at timestamptz,
    event_sequence integer not null default 0,
    name_servers jsonb not null default '[]'::jsonb,
    external_id text,
    metadata jsonb,
    delegation_token text not null default replace(gen_random_uuid()::text, '-', ''),
    delegated_at timestamptz,
    prepared_at timestamptz,
    ready_at timestamptz,
    elsewhere_since timestamptz,
    zone text,
    matched_addresses inet[],
    channel text,
    foreign key (project_id, channel) references channels (project_id, name) on delete set null (channel),
    foreign key (organization_id, name) references domain_claims
  ) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.05)`,
  `create unique index domains_one_holder on domains (name) where state in ('verified', 'live')`,
  `create unique index domains_once_an_organization on domains (organization_id, name) where state <> 'removed'`,
  `create index domains_by_project on domains (project_id, created_at)`,
  `create index domains_traffic_stopping on domains (removed_version)
    where removed_version is not null and traffic_stopped_at is null`,
  `create index domains_by_removal on domains (removed_at) where removed_at is not null`,
  // Certificates in use: the served domains by id, and the newest certificate of each, without reading their rows.
  `create index domains_served on domains (id) where state in ('verified', 'live')`,
  // Few distinct keys, so that the index has some 7 bytes a domain.
  `create index domains_by_state on domains (state, misconfigured, certificate_alert) where state <> 'removed'`,
  // Domains that a project has: the removed ones may be many times as many.
  `create index domains_kept on domains (project_id, created_at, id) where state <> 'removed'`,
  `create index domains_removed on domains (removed_at, id) where state = 'removed'`,
  `create index domains_by_claim on domains (organization_id, name)`,
  `create index domains_kept_by_state on domains (project_id, state, created_at, id) where state <> 'removed'`,
  `create index domains_misconfigured on domains (project_id, created_at, id)
    where misconfigured and state <> 'removed'`,
  // The order of bytes, so that an index finds a prefix, whatever the collation of the database.
  `create index domains_by_name on domains (project_id, name collate "C") where state <> 'removed'`,
  `create index domains_by_organization_name on domains (organization_id, name collate "C")
    where state <> 'removed'`,
  `create index domains_by_external_id on domains (organization_id, external_id, name collate "C")
    where external_id is not null and state <> 'removed'`,
  `create index domains_prepared on domains (name) where state = 'awaiting_dns' and prepared_at is not null`,
  `create index domains_prepared_by_project on domains (project_id)
    where state = 'awaiting_dns' and prepared_at is not null`,
  `create index domains_wildcards on domains (project_id) where name like '*.%' and state <> 'removed'`,
  `create index domains_by_matched_address on domains using gin (matched_addresses)
    where matched_addresses is not null and state <> 'removed'`,
  // A domain that is removed or moves has no channel.
  `create index domains_by_channel on domains (project_id, channel, name) where channel is not null`,
  // Apart from the domains: a check that found nothing new would add an entry to each of their indexes.
  `create table domain_changes (
    domain_id uuid primary key references domains on delete cascade,
    project_id uuid not null,
    number bigint not null
  ) with (fillfactor = 80)`,
  // A project may have 100 000 domains, and one of them has changed.
  `create index domain_changes_by_number on domain_changes (project_id, number)`,
  `create table domain_metadata (
    organization_id uuid,
    key text,
    value text,
    name text collate "C",
    domain_id uuid not null references domains on delete cascade,
    primary key (organization_id, key, value, name)
  )`,
  `create index domain_metadata_by_domain on domain_metadata (domain_id)`,
  `create function domains_index_metadata() returns trigger language plpgsql as $$
    begin
      if tg_op = 'UPDATE' then
        delete from domain_metadata where domain_id = new.id;
      end if;
      if new.state <> 'removed' then
        insert into domain_metadata (organization_id, key, value, name, domain_id)
        select new.organization_id, m.key, m.value, new.name, new.id from jsonb_each_text(new.metadata) m;
      end if;
      return null;
    end
  $$`,
  `create trigger domains_index_metadata_added after insert on domains
    for each row when (new.metadata is not null)
    execute function domains_index_metadata()`,
  `create trigger domains_index_metadata_changed after update on domains
    for each row when (
      old.metadata is distinct from new.metadata
      or (new.metadata is not null and old.state <> 'removed' and new.state = 'removed')
    )
    execute function domains_index_metadata()`,
  `create table domain_work (
    domain_id uuid references domains,
    kind text check (kind in ('dns', 'reverify', 'issuance', 'probe', 'renewal_info')),
    due_at timestamptz,
    requested_at timestamptz,
    claimed_at timestamptz,
    lease_until timestamptz,
    attempt integer not null default 0,
    applied_attempt integer not null default 0,
    failures_in_a_row integer not null default 0,
    traceparent text constraint domain_work_traceparent
      check (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'),
    held_due_at timestamptz,
    organization_id uuid not null,
    priority smallint not null,
    checked_at timestamptz,
    unchanged_checks integer not null default 0,
    primary key (domain_id, kind)
  ) with (
    fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02,
    autovacuum_vacuum_cost_limit = 2000
  )`,
  `create index domain_work_due on domain_work (due_at) where due_at is not null`,
  // A row is ready when it is due and its lease has ended.
  `create index domain_work_ready on domain_work (kind, priority, organization_id, greatest(due_at, lease_until))
    where due_at is not null`,
  `create table wildcard_exclusions (
    domain_id uuid references domains on delete cascade,
    name text,
    created_at timestamptz not null default now(),
    primary key (domain_id, name)
  )`,
  `create index wildcard_exclusions_by_name on wildcard_exclusions (name)`,
  // A link is of the domain while it is in this project: a move ends it.
  `create table setup_links (
    id uuid default gen_random_uuid() primary key,
    organization_id uuid not null references organizations on delete cascade,
    project_id uuid not null references projects on delete cascade,
    domain_id uuid not null references domains on delete cascade,
    hash bytea not null unique,
    return_url text,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null
  )`,
  `create index setup_links_by_domain on setup_links (domain_id, expires_at)`,
  `create index setup_links_by_expiry on setup_links (expires_at)`,
  `create table setup_pages (
    organization_id uuid primary key references organizations on delete cascade,
    name text,
    color text,
    support_address text,
    return_origins text[] not null default '{}',
    logo bytea,
    logo_hash text,
    logo_width integer,
    logo_height integer
  )`,
  `create index setup_pages_by_logo on setup_pages (logo_hash) where logo_hash is not null`,
  // Without project and name it covers the organization, with a project that, and with a name the organization's domain of
  // that name, in whichever project it is: removing and adding a name does not end its suspension.
  `create table suspensions (
    id uuid default gen_random_uuid() primary key,
    organization_id uuid not null references organizations on delete cascade,
    project_id uuid references projects on delete cascade,
    name text,
    cause text not null,
    reason text not null,
    since timestamptz not null,
    renews_until timestamptz,
    suspended_by text,
    constraint suspensions_once unique nulls not distinct (organization_id, project_id, name, cause)
  )`,
  `create index suspensions_by_name on suspensions (name) where name is not null`,
  `create table blocked_names (
    name text primary key,
    includes_subdomains boolean not null,
    reason text not null,
    blocked_by text,
    since timestamptz not null
  )`,
  `create table public_addresses (
    address inet primary key,
    retiring_since timestamptz,
    added_at timestamptz not null default now()
  )`,
  `create function domains_count_added() returns trigger language plpgsql as $$
    begin
      update domain_counts c set awaiting_dns = c.awaiting_dns + a.awaiting_dns, verified = c.verified + a.verified,
        live = c.live + a.live, misconfigured = c.misconfigured + a.misconfigured
      from (
        select project_id, count(*) filter (where state = 'awaiting_dns') as awaiting_dns,
          count(*) filter (where state = 'verified') as verified, count(*) filter (where state = 'live') as live,
          count(*) filter (where misconfigured and state <> 'removed') as misconfigured
        from added group by project_id
      ) a
      where c.project_id = a.project_id;
      return null;
    end
  $$`,
  // Not "update of state": an update writes every column of a domain, and few change what is counted.
  `create function domains_count_changed() returns trigger language plpgsql as $$
    begin
      update domain_counts c set
        awaiting_dns = c.awaiting_dns + (new.state = 'awaiting_dns')::int - (old.state = 'awaiting_dns')::int,
        verified = c.verified + (new.state = 'verified')::int - (old.state = 'verified')::int,
        live = c.live + (new.state = 'live')::int - (old.state = 'live')::int,
        misconfigured = c.misconfigured + (new.misconfigured and new.state <> 'removed')::int
          - (old.misconfigured and old.state <> 'removed')::int
      where c.project_id = new.project_id;
      return null;
    end
  $$`,
  // Updates of other columns do not evaluate the condition.
  `create function domains_count_moved() returns trigger language plpgsql as $$
    begin
      update domain_counts c set
        awaiting_dns = c.awaiting_dns + m.sign * (new.state = 'awaiting_dns')::int,
        verified = c.verified + m.sign * (new.state = 'verified')::int,
        live = c.live + m.sign * (new.state = 'live')::int,
        misconfigured = c.misconfigured + m.sign * new.misconfigured::int
      from (values (old.project_id, -1), (new.project_id, 1)) as m (project_id, sign)
      where c.project_id = m.project_id;
      return null;
    end
  $$`,
  `create trigger domains_count_added after insert on domains referencing new table as added
    for each statement execute function domains_count_added()`,
  // Not "update of state": an update writes every column of a domain, and few change what is counted.
  `create trigger domains_count_changed after update on domains
    for each row when ((old.state <> new.state) or (old.misconfigured <> new.misconfigured))
    execute function domains_count_changed()`,
  // Updates of other columns do not evaluate the condition.
  `create trigger domains_count_moved after update of project_id on domains
    for each row when (old.project_id <> new.project_id and new.state <> 'removed')
    execute function domains_count_moved()`,
  // The application that answers for a project, or for one domain of it. Deleted by a request, or with the domain.
  `create table origins (
    id uuid default gen_random_uuid() primary key,
    organization_id uuid not null references organizations,
    project_id uuid not null references projects,
    domain_id uuid unique references domains,
    domain_name text,
    url text not null,
    host_header text,
    timeouts jsonb not null,
    header_names text[] not null,
    sealed_headers sealed_text not null,
    metadata_keys text[] not null,
    max_connections integer not null,
    test integer not null default 1,
    test_started_at timestamptz not null,
    test_sent_at timestamptz not null,
    test_result jsonb,
    served_since timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    check ((domain_id is null) = (domain_name is null))
  )`,
  `create unique index origins_of_projects on origins (project_id) where domain_id is null`,
  `create index origins_by_domain_name on origins (project_id, domain_name)`,
  `create index origins_by_organization on origins (organization_id)`,
  // Whose test no edge has answered.
  `create index origins_unanswered on origins (test_sent_at) where test_result is null`,
  `create index origins_by_encryption_key on origins (split_part(sealed_headers, '.', 2)) where sealed_headers <> ''`,
];
