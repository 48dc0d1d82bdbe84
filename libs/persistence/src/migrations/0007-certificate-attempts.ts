import { sql, type Kysely } from 'kysely';

/**
 * Certificates become the ledger of attempts: what was asked of which CA, what became of it, what it costs of the CA's
 * limits. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table certificates
    add column name text,
    add column apex_name text,
    add column replaces text,
    add column is_renewal boolean not null default false,
    add column ordered boolean,
    add column failure_class text check (failure_class in ('user', 'rate', 'passing', 'final')),
    add column failure_stage text
      check (failure_stage in ('gate', 'account', 'order', 'challenge', 'finalize', 'chain')),
    add column retry_at timestamptz,
    add column failed_at timestamptz,
    add column identifier text,
    drop constraint certificates_state_check,
    add constraint certificates_state_check check (state in ('pending', 'issued', 'failed'))`,
  `update certificates c set name = d.name, apex_name = d.apex_name, ordered = case c.state when 'issued' then true end
    from domains d where d.id = c.domain_id`,
  // The version before this one inserts without them while this one is being rolled out.
  `create function certificates_fill_names() returns trigger language plpgsql as $$
    begin
      if new.name is null then
        select d.name, d.apex_name into new.name, new.apex_name from domains d where d.id = new.domain_id;
      end if;
      return new;
    end $$`,
  `create trigger certificates_fill_names before insert on certificates
    for each row execute function certificates_fill_names()`,
  `alter table certificates alter column name set not null, alter column apex_name set not null`,
  // What a CA's limits count, newest first: what cost nothing is left out.
  `create index certificates_by_apex on certificates (directory_url, apex_name, created_at)
    where ordered is distinct from false`,
  `create index certificates_by_name on certificates (directory_url, name, created_at)
    where ordered is distinct from false`,
  `create index certificates_by_directory on certificates (directory_url, created_at)
    where ordered is distinct from false`,
  `alter table domains add column certificate_alert text
    check (certificate_alert in ('overdue', 'at_risk', 'expiring', 'expired'))`,
  `alter table domain_work
    drop constraint domain_work_kind_check,
    add constraint domain_work_kind_check check (kind in ('dns', 'reverify', 'issuance', 'probe', 'renewal_info'))`,
  `create table key_checks (
    key_id text primary key,
    sealed text not null,
    created_at timestamptz not null default now()
  )`,
];
