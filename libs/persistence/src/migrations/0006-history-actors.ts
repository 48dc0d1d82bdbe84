import { sql, type Kysely } from 'kysely';

/** Who did what a line of history tells. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // None: it happened by itself. So it says of the lines from before, and of those that the version before this one
  // writes while this one is being rolled out.
  `alter table domain_events add column api_key_id uuid references api_keys`,
];
