import { sql, type Kysely } from 'kysely';

/** Removed people of whom retention deletes the row, or name and address. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  `drop index concurrently if exists people_by_end`,
  `create index concurrently people_by_end on people (removed_at)
    where removed_at is not null and (removed_by_claim or name is not null or email is not null)`,
];
