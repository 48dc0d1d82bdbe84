import { sql, type Kysely } from 'kysely';

/** The issued certificates of a name, whoever it belonged to: which are to be revoked when it moves. Frozen in time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  `drop index concurrently if exists certificates_issued_by_name`,
  `create index concurrently certificates_issued_by_name on certificates (name, not_after) where state = 'issued'`,
];
