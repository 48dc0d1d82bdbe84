import { sql, type Kysely } from 'kysely';

/**
 * How often backups are made, as the job that makes them reports it, so that an alert can follow it. Null: unknown.
 * Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table last_backup add column interval_seconds bigint check (interval_seconds > 0)`.execute(db);
}
