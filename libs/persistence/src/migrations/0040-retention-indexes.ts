import { sql, type Kysely } from 'kysely';

/** The deletion of old rows finds them by time. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  `drop index concurrently if exists sessions_by_expiry`,
  `create index concurrently sessions_by_expiry on sessions (expires_at)`,
  `drop index concurrently if exists deprecated_calls_by_day`,
  `create index concurrently deprecated_calls_by_day on deprecated_calls (day)`,
  // Domains that a project has: the removed ones may be many times as many.
  `drop index concurrently if exists domains_kept`,
  `create index concurrently domains_kept on domains (project_id, created_at, id) where state <> 'removed'`,
];
