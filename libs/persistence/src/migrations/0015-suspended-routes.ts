import { sql, type Kysely } from 'kysely';

/**
 * The route of a suspended host, whose `route` is null. The version before hands `route` to its edges as it is, and they do
 * not know such routes: to them the host is removed. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter table edge_routes add column suspended_route jsonb`).execute(db);
}
