import { sql, type Kysely } from 'kysely';

/** Names that a wildcard covers and that are not served. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table wildcard_exclusions (
    domain_id uuid not null references domains on delete cascade,
    name text not null,
    created_at timestamptz not null default now(),
    primary key (domain_id, name)
  )`,
  `create index wildcard_exclusions_by_name on wildcard_exclusions (name)`,
];
