import { sql, type Kysely } from 'kysely';

/**
 * Which domains of a project have changed without a line in its history, so that whoever shows them can read them again.
 * Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // What the version before this one changes while this one is being rolled out is not told of: it is only a hint.
  `alter table projects add column change_number bigint not null default 0`,
  `alter table domains add column change_number bigint not null default 0`,
];
