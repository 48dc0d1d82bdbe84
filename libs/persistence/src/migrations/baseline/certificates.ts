/** Certificates, revocations and the budget of the CAs. */
export const certificates: readonly string[] = [
  // One row for each attempt to get a certificate, and one for each that an owner uploads. Its state says to which of the two
  // a query applies: their states have no value in common.
  `create table certificates (
    id uuid default gen_random_uuid() primary key,
    origin text not null,
    domain_id uuid not null references domains,
    organization_id uuid not null references organizations,
    state text not null default 'pending',
    sealed_key sealed_text not null,
    chain_pem text,
    leaf_sha256 text,
    issuer text,
    not_before timestamptz,
    not_after timestamptz,
    created_at timestamptz not null default now(),
    has_object boolean not null default false,
    object_written_at timestamptz,
    object_lease_until timestamptz,

    name text,
    apex_name text,
    generation integer,
    attempt integer,
    directory_url text,
    account_thumbprint text,
    replaces text,
    is_renewal boolean default false,
    name_uses smallint,
    ordered boolean,
    failure_class text check (failure_class in ('user', 'rate', 'passing', 'final')),
    failure_stage text,
    retry_at timestamptz,
    failed_at timestamptz,
    method text,
    order_url text,
    ordered_at timestamptz,
    order_expires_at timestamptz,
    csr_pem text,
    renew_at timestamptz,
    identifier text,
    issued_at timestamptz,

    is_preferred boolean,
    trust text check (trust in ('public', 'private')),
    serial_number text,
    names text[],
    ended_at timestamptz,
    step_due_at timestamptz,
    crl_urls text[],
    crl_issuer_pem text,
    check_due_at timestamptz,
    check_attempt integer,
    check_leased_until timestamptz,
    check_failures integer,
    checked_at timestamptz,
    check_result text check (check_result in ('good', 'revoked', 'unknown')),
    check_detail text,

    -- The request of an order is deleted with its key.
    has_key boolean not null generated always as (coalesce(csr_pem, sealed_key) <> '') stored,
    unique (domain_id, generation, attempt),
    constraint certificates_failure_stage_check
      check (failure_stage in ('gate', 'account', 'order', 'challenge', 'finalize', 'chain')),
    constraint certificates_origin_check check (case origin
      when 'ordered' then state in ('pending', 'issued', 'failed')
        and num_nulls(name, apex_name, generation, attempt, directory_url, account_thumbprint, is_renewal, csr_pem) = 0
        and num_nonnulls(is_preferred, trust, serial_number, names, ended_at, step_due_at, crl_urls, crl_issuer_pem,
          check_due_at, check_attempt, check_leased_until, check_failures, checked_at, check_result, check_detail) = 0
      when 'uploaded' then state in ('checking', 'active', 'expired', 'revoked', 'replaced', 'removed')
        and num_nulls(chain_pem, leaf_sha256, issuer, not_before, not_after, is_preferred, trust, serial_number, names,
          crl_urls, check_attempt, check_failures) = 0
        and num_nonnulls(name, apex_name, generation, attempt, directory_url, account_thumbprint, replaces, is_renewal, name_uses,
          ordered, failure_class, failure_stage, retry_at, failed_at, method, order_url, ordered_at, order_expires_at,
          csr_pem, renew_at, identifier, issued_at) = 0
      else false end)
  )`,
  `create index certificates_newest on certificates (domain_id, issued_at desc) where state = 'issued'`,
  // What a CA's limits count, newest first: what cost nothing is left out.
  `create index certificates_by_apex on certificates (directory_url, apex_name, created_at)
    where ordered is distinct from false`,
  `create index certificates_by_name on certificates (directory_url, name, created_at)
    where ordered is distinct from false`,
  `create index certificates_by_directory on certificates (directory_url, created_at)
    where ordered is distinct from false`,
  `create index certificates_issued_by_name on certificates (name, not_after) where state = 'issued'`,
  // Served, with a key, and without an object that is current. The newest are needed first.
  `create index certificates_without_object on certificates (created_at)
    where state in ('issued', 'checking', 'active') and has_key and object_written_at is null`,
  // The key was deleted from the row, and the object is to follow.
  `create index certificates_unused_object on certificates (id) where has_object and not has_key`,
  // Unused keys: of attempts without a certificate, of certificates with a successor, and of removed domains.
  `create index certificates_unissued_keys on certificates (created_at) where state in ('pending', 'failed') and has_key`,
  `create index certificates_by_issue on certificates (issued_at, domain_id) where state = 'issued'`,
  `create index certificates_issued_keys on certificates (domain_id, issued_at) where state = 'issued' and has_key`,
  // The ids of the key-encryption keys in use.
  `create index certificates_by_encryption_key on certificates (split_part(sealed_key, '.', 2))
    where sealed_key <> ''`,
  `create index certificates_newest_end on certificates (domain_id, issued_at desc) include (not_after)
    where state = 'issued'`,
  // Of an ordered certificate its expiry, of an attempt without one its beginning.
  `create index certificates_by_end on certificates (coalesce(not_after, created_at), id) where origin = 'ordered'`,
  `create index certificates_repeated_names on certificates (directory_url, name_uses, created_at)
    where name_uses > 1`,
  `create index certificates_new_orders on certificates (directory_url, created_at)
    where replaces is null and not is_renewal and ordered is distinct from false`,
  `create index certificates_open_orders on certificates (domain_id)
    where state = 'pending' and order_url is not null`,
  `create unique index certificates_active_upload on certificates (domain_id) where state = 'active'`,
  `create unique index certificates_checked_upload on certificates (domain_id) where state = 'checking'`,
  `create index certificates_uploads_of_domain on certificates (domain_id, created_at desc) where origin = 'uploaded'`,
  `create index certificates_uploads_of_organization on certificates (organization_id, created_at)
    where origin = 'uploaded'`,
  `create index certificates_steps on certificates (step_due_at) where state = 'active'`,
  `create index certificates_ended_uploads on certificates (ended_at) where ended_at is not null`,
  `create index certificates_checks_of_organization on certificates (organization_id, check_due_at)
    where state in ('checking', 'active') and check_due_at is not null`,
  `create index certificates_leased_checks on certificates (organization_id) where check_leased_until is not null`,
  // An object has the sealed key of its row: whatever seals the key again makes it outdated.
  `create function expire_object() returns trigger language plpgsql as $$
    begin
      new.object_written_at := null;
      return new;
    end $$`,
  `create trigger certificates_expire_object before update of sealed_key on certificates
    for each row when (old.sealed_key is distinct from new.sealed_key)
    execute function expire_object()`,
  `create table certificate_revocations (
    certificate_id uuid primary key references certificates on delete cascade,
    domain_id uuid not null references domains on delete cascade,
    directory_url text not null,
    chain_pem text not null,
    reason text not null,
    state text not null default 'pending' check (state in ('pending', 'revoked', 'expired')),
    requested_at timestamptz not null,
    expires_at timestamptz not null,
    due_at timestamptz not null,
    attempt integer not null default 0,
    failures integer not null default 0,
    problem text,
    ended_at timestamptz,
    account_thumbprint text not null
  )`,
  `create index certificate_revocations_due on certificate_revocations (due_at) where state = 'pending'`,
  `create index certificate_revocations_by_expiry on certificate_revocations (expires_at)`,
  // For foreign keys: a deletion looks for rows that reference what it deletes.
  `create index certificate_revocations_by_domain on certificate_revocations (domain_id)`,
  `create table acme_accounts (
    directory_url text primary key,
    account_url text not null,
    thumbprint text not null,
    updated_at timestamptz not null,
    announced_at timestamptz
  )`,
  // Pauses that a CA has asked for: of our account (apex_name is ''), or of a registered domain.
  `create table ca_pauses (
    directory_url text,
    apex_name text,
    paused_until timestamptz not null,
    detail text not null,
    primary key (directory_url, apex_name)
  )`,
  `create index ca_pauses_by_end on ca_pauses (paused_until)`,
  // Registered domains in whose lines orders wait, and when the limit of each is looked at again.
  `create table limited_domains (
    directory_url text,
    apex_name text,
    check_at timestamptz not null,
    primary key (directory_url, apex_name)
  )`,
  `create index limited_domains_due on limited_domains (check_at)`,
  // An order waits in the line of its registered domain, and then in that of the CA: line is '' there.
  `create table queued_orders (
    domain_id uuid primary key references domains on delete cascade,
    organization_id uuid not null,
    directory_url text not null,
    line text not null,
    apex_name text not null,
    rank smallint not null,
    is_new boolean not null,
    virtual_time double precision not null,
    position bigint generated always as identity,
    queued_at timestamptz not null default now(),
    slot_given_at timestamptz
  )`,
  `create index queued_orders_line
    on queued_orders (directory_url, line, rank, virtual_time, position) include (domain_id)
    where slot_given_at is null`,
  `create index queued_orders_of_organization
    on queued_orders (directory_url, line, rank, organization_id, virtual_time)
    where slot_given_at is null`,
  `create index queued_orders_given on queued_orders (directory_url, slot_given_at)
    where slot_given_at is not null`,
  `create index queued_orders_admitted on queued_orders (directory_url, apex_name)
    where line = '' and is_new`,
  // One row for each platform domain that the installation has had. A dispatch moves `due_at` to the end of its lease.
  `create table platform_certificate_orders (
    id uuid primary key,
    name text not null unique,
    due_at timestamptz not null,
    attempt integer not null default 0,
    failures_in_a_row integer not null default 0,
    info_due_at timestamptz,
    info_attempt integer not null default 0,
    problem_code text,
    problem text,
    problem_since timestamptz
  )`,
  `create table platform_certificates (
    id uuid primary key,
    order_id uuid not null references platform_certificate_orders,
    attempt integer not null,
    state text not null check (state in ('pending', 'issued', 'failed')),
    name text not null,
    apex_name text not null,
    directory_url text not null,
    account_thumbprint text not null,
    replaces text,
    is_renewal boolean not null,
    ordered boolean,
    failure_class text,
    failure_stage text,
    retry_at timestamptz,
    csr_pem text not null,
    sealed_key sealed_text not null,
    chain_pem text,
    leaf_sha256 text,
    issuer text,
    not_before timestamptz,
    not_after timestamptz,
    renew_at timestamptz,
    identifier text,
    created_at timestamptz not null,
    issued_at timestamptz,
    object_written_at timestamptz,
    order_url text,
    ordered_at timestamptz,
    order_expires_at timestamptz,
    unique (order_id, attempt)
  )`,
  `create index platform_certificates_by_encryption_key on platform_certificates (split_part(sealed_key, '.', 2))
    where sealed_key <> ''`,
  `create trigger platform_certificates_expire_object before update of sealed_key on platform_certificates
    for each row when (old.sealed_key is distinct from new.sealed_key)
    execute function expire_object()`,
  `create table unused_key_positions (
    source text primary key check (source in ('replaced', 'removed')),
    read_until timestamptz not null
  )`,
  // Everything that counts towards the limits of the CAs: no upload does.
  `create view ca_attempts as
    select domain_id, name, apex_name, state, directory_url, replaces, is_renewal, ordered, failure_class,
      failure_stage, retry_at, created_at, issued_at
    from certificates where origin = 'ordered'
    union all
    select order_id as domain_id, name, apex_name, state, directory_url, replaces, is_renewal, ordered,
      failure_class, failure_stage, retry_at, created_at, issued_at
    from platform_certificates`,
];
