import { sql, type Kysely } from 'kysely';

/**
 * Certificates that owners upload. A table of their own: the version before counts every row of `certificates` as an attempt at
 * a CA, and deletes keys that none of its attempts needs. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table own_certificates (
    id uuid primary key,
    domain_id uuid not null references domains,
    organization_id uuid not null,
    -- 'checking': stored, and its revocation list is being read. 'active': visitors get it, if it is preferred.
    state text not null
      check (state in ('checking', 'active', 'expired', 'revoked', 'replaced', 'removed')),
    is_preferred boolean not null,
    trust text not null check (trust in ('public', 'private')),
    chain_pem text not null,
    -- '' once the key was deleted.
    sealed_key text not null,
    leaf_sha256 text not null,
    serial_number text not null,
    issuer text not null,
    names text[] not null,
    not_before timestamptz not null,
    -- The earliest end of a certificate of the chain.
    not_after timestamptz not null,
    created_at timestamptz not null,
    ended_at timestamptz,
    -- When time changes something next: a warning, or its end.
    step_due_at timestamptz,
    crl_urls text[] not null,
    -- The CA that signs the list; it may be a root, which is not in the chain.
    crl_issuer_pem text,
    -- When the revocation list is read next; null without one.
    check_due_at timestamptz,
    check_attempt integer not null default 0,
    checked_at timestamptz,
    check_result text check (check_result in ('good', 'revoked', 'unknown')),
    check_detail text,
    -- When the object was written with the chain and the sealed key of this row.
    object_written_at timestamptz
  )`,
  `create unique index own_certificates_active on own_certificates (domain_id) where state = 'active'`,
  `create unique index own_certificates_checking on own_certificates (domain_id) where state = 'checking'`,
  `create index own_certificates_of_domain on own_certificates (domain_id, created_at desc)`,
  `create index own_certificates_steps on own_certificates (step_due_at) where state = 'active'`,
  `create index own_certificates_checks on own_certificates (check_due_at) where state in ('checking', 'active')`,
  `create index own_certificates_without_object on own_certificates (id)
    where state in ('checking', 'active') and object_written_at is null`,
  `create index own_certificates_ended on own_certificates (ended_at) where ended_at is not null`,
  `create index own_certificates_by_encryption_key on own_certificates (split_part(sealed_key, '.', 2))
    where sealed_key <> ''`,
  // After keys were rewrapped, the object is written again.
  `create function own_certificates_expire_object() returns trigger language plpgsql as $$
    begin
      new.object_written_at := null;
      return new;
    end $$`,
  `create trigger own_certificates_expire_object before update of sealed_key on own_certificates
    for each row when (old.sealed_key is distinct from new.sealed_key)
    execute function own_certificates_expire_object()`,
];
