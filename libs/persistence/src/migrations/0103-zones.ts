import { sql, type Kysely } from 'kysely';

/** The zone of a name, as DNS shows it. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table domains add column zone text`.execute(db);
}
