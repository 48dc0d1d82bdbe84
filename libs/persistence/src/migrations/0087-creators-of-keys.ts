import { sql, type Kysely } from 'kysely';

/**
 * Who created an API key, the person at the beginning, why the key was revoked, and which keys a person left behind. Keys from
 * before have no creator. Without references: a key may outlast its creator. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table api_keys
      add column created_by_kind text,
      add column created_by_id uuid,
      add column created_by_display text,
      add column person_id uuid,
      add column revocation_reason text,
      add column left_behind_at timestamptz`.execute(db);
}
