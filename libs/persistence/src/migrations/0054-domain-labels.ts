import { sql, type Kysely } from 'kysely';

/**
 * What customers store with their domains: an id of their own, and metadata. Frozen in time, as every migration.
 *
 * Triggers keep `domain_metadata`, by which domains are found, since every way to add or remove one must. It has the domains
 * that are not removed, and each row begins with the organization: no search reads the rows of another.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table domains add column external_id text`,
  `alter table domains add column metadata jsonb`,
  `create table domain_metadata (
    organization_id uuid not null,
    key text not null,
    value text not null,
    name text collate "C" not null,
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
  `create trigger domains_index_metadata_added after insert on domains for each row
    when (new.metadata is not null) execute function domains_index_metadata()`,
  `create trigger domains_index_metadata_changed after update on domains for each row
    when (
      old.metadata is distinct from new.metadata
      or (new.metadata is not null and old.state <> 'removed' and new.state = 'removed')
    )
    execute function domains_index_metadata()`,
];
