import { sql, type Kysely } from 'kysely';

/**
 * The certificate of `*.<platform domain>`, which belongs to no organization: its schedule, and its attempts. Tables of their
 * own: each row of `certificates` belongs to a domain. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // One row for each platform domain that the installation has had. A dispatch moves `due_at` to the end of its lease.
  `create table platform_certificate_orders (
    id uuid primary key,
    name text not null unique,
    due_at timestamptz not null,
    attempt integer not null default 0,
    failures_in_a_row integer not null default 0,
    info_due_at timestamptz,
    info_attempt integer not null default 0,
    -- Why the last attempt failed; null when it did not.
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
    account text not null,
    replaces text,
    is_renewal boolean not null,
    -- Null until it ends; false when no order was made.
    ordered boolean,
    failure_class text,
    failure_stage text,
    retry_at timestamptz,
    csr_pem text not null,
    -- '' once the key was deleted.
    sealed_key text not null,
    chain_pem text,
    leaf_sha256 text,
    issuer text,
    not_before timestamptz,
    not_after timestamptz,
    renew_at timestamptz,
    identifier text,
    created_at timestamptz not null,
    issued_at timestamptz,
    -- When the object was written with the chain and the sealed key of this row.
    object_written_at timestamptz,
    unique (order_id, attempt)
  )`,
  `create index platform_certificates_by_encryption_key on platform_certificates (split_part(sealed_key, '.', 2))
    where sealed_key <> ''`,
  // After keys were rewrapped, the object is written again.
  `create function platform_certificates_expire_object() returns trigger language plpgsql as $$
    begin
      new.object_written_at := null;
      return new;
    end $$`,
  `create trigger platform_certificates_expire_object before update of sealed_key on platform_certificates
    for each row when (old.sealed_key is distinct from new.sealed_key)
    execute function platform_certificates_expire_object()`,
  // Everything that counts towards the limits of the CAs.
  `create view ca_attempts as
    select domain_id, name, apex_name, state, directory_url, account, replaces, is_renewal, ordered, failure_class,
      failure_stage, retry_at, created_at, issued_at from certificates
    union all
    select order_id, name, apex_name, state, directory_url, account, replaces, is_renewal, ordered, failure_class,
      failure_stage, retry_at, created_at, issued_at from platform_certificates`,
  `alter table edge_feed add column platform_certificate uuid`,
];
