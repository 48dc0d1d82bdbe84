import { sql, type Kysely } from 'kysely';

/** The deletion of old lines from the old table finds them by time. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  `drop index concurrently if exists domain_events_by_time`,
  `create index concurrently domain_events_by_time on domain_events (at)`,
];
