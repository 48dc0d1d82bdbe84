import { sql, type Kysely } from 'kysely';

/** Claims by their name read backwards, so that all names below one are found by it. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  `drop index concurrently if exists domain_claims_by_reversed_name`,
  `create index concurrently domain_claims_by_reversed_name on domain_claims (reverse(name) text_pattern_ops)`,
];
