import { sql, type Kysely } from 'kysely';

/**
 * When the last backup was complete: one row, written by whatever makes backups, so that an alert can tell when they stop.
 * Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table last_backup (
      only_row boolean primary key default true check (only_row),
      finished_at timestamptz not null,
      bytes bigint not null check (bytes >= 0)
    )`.execute(db);
}
