import { sql, type Kysely } from 'kysely';

/**
 * The name servers of a domain's zone, as the last check that could tell found them. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // The version before this one leaves it as it is; a row without it is told at its next check. No rewrite of the table.
  `alter table domains add column name_servers jsonb not null default '[]'`,
];
