import { sql, type Kysely } from 'kysely';

/**
 * Sessions of edges, the database cluster of the feed's epoch, and the horizon of compaction. The version before writes none
 * of these columns. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table edge_feed add column cluster text`,
  `alter table edge_feed add column compacted_version bigint not null default 0`,
  `alter table edges add column session_id uuid`,
];
