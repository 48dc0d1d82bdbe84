import { sql, type Kysely } from 'kysely';

/** The hash of a deployment's files, where its index is known by another. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter table deployments add column files_hash text`).execute(db);
}
