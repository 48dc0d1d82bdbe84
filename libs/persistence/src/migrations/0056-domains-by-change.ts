import { sql, type Kysely } from 'kysely';

/** What the readers of a project's events look for. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  // Changes without a line of history, newest last: a project may have 100 000 domains, and one of them has changed.
  `drop index concurrently if exists domains_by_change`,
  `create index concurrently domains_by_change on domains (project_id, change_number) where change_number > 0`,
];
