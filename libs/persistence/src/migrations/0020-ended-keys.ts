import { sql, type Kysely } from 'kysely';

/**
 * Live API keys can be counted, and those that ended can be found by when they did. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  // A line of history names its key for ever, and keys that ended long ago are deleted.
  `alter table domain_events drop constraint if exists domain_events_api_key_id_fkey`,
  // Live keys are those whose end is in the future.
  `drop index concurrently if exists api_keys_by_end`,
  `create index concurrently api_keys_by_end
    on api_keys (organization_id, coalesce(least(revoked_at, expires_at), 'infinity'::timestamptz))`,
  `drop index concurrently if exists api_keys_ended`,
  `create index concurrently api_keys_ended on api_keys (least(revoked_at, expires_at))
    where least(revoked_at, expires_at) is not null`,
];
