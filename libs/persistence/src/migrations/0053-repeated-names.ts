import { sql, type Kysely } from 'kysely';

/** Attempts for names that had others before. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  `drop index concurrently if exists certificates_repeated_names`,
  `create index concurrently certificates_repeated_names on certificates (directory_url, name_uses, created_at)
    where name_uses > 1`,
];
