import { sql, type Kysely } from 'kysely';

/** Domains by our addresses that they show. Most show none and are not in it. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  `drop index concurrently if exists domains_by_matched_address`,
  `create index concurrently domains_by_matched_address on domains using gin (matched_addresses)
    where matched_addresses is not null and state <> 'removed'`,
];
