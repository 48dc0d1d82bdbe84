import { sql, type Kysely } from 'kysely';

/** Domains by the id that their organization gave them. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  `drop index concurrently if exists domains_by_external_id`,
  `create index concurrently domains_by_external_id on domains (organization_id, external_id, name collate "C")
    where external_id is not null and state <> 'removed'`,
];
