import { sql, type Kysely } from 'kysely';

/** When old rows of each table are deleted next, and how far that is. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table retention_tasks (
    name text primary key,
    next_at timestamptz not null default now(),
    position text,
    -- Behind from the start, if nothing completes it.
    completed_at timestamptz not null default now(),
    oldest_at timestamptz
  )`,
];
