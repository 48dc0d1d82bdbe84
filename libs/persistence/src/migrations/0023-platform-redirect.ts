import { sql, type Kysely } from 'kysely';

/**
 * Whether a project's platform host redirects to its primary domain; null: the configuration does not say. A column, since
 * the version before reads `domain_config` strictly. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(`alter table projects add column platform_redirect boolean`).execute(db);
}
