import { sql, type Kysely } from 'kysely';

/** The orders and filters of the lists of domains, besides `domains_kept`. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  `drop index concurrently if exists domains_kept_by_state`,
  `create index concurrently domains_kept_by_state on domains (project_id, state, created_at, id)
    where state <> 'removed'`,
  `drop index concurrently if exists domains_misconfigured`,
  `create index concurrently domains_misconfigured on domains (project_id, created_at, id)
    where misconfigured and state <> 'removed'`,
  // The order of bytes, so that an index finds a prefix, whatever the collation of the database.
  `drop index concurrently if exists domains_by_name`,
  `create index concurrently domains_by_name on domains (project_id, name collate "C") where state <> 'removed'`,
  `drop index concurrently if exists domains_by_organization_name`,
  `create index concurrently domains_by_organization_name on domains (organization_id, name collate "C")
    where state <> 'removed'`,
];
