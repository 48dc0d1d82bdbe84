import { sql, type Kysely } from 'kysely';

/**
 * When the worker signed the announcement of an account that was applied last: what orders announcements, which have no
 * attempt. The version before writes neither column; what it applies counts as older than all. Frozen in time, as every
 * migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table acme_accounts add column announced_at timestamptz`,
  `alter table edge_feed add column thumbprint_at timestamptz`,
];
