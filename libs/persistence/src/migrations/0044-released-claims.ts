import { sql, type Kysely } from 'kysely';

/** Since when no row of a domain needs a claim. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [`alter table domain_claims add column released_at timestamptz`];
