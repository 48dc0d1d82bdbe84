import { sql, type Kysely } from 'kysely';

/**
 * The feed protocol whose hosts a snapshot has; null for one that the version before built. Frozen in time, as every
 * migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter table edge_snapshots add column protocol integer`).execute(db);
}
