import { sql, type Kysely } from 'kysely';

/**
 * The delegation of challenges to our zone. Frozen in time, as every migration.
 *
 * The default gives a token to rows of the version before, too. Existing rows keep null, since a new value for each would
 * rewrite the table; their random id is used instead.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table domains add column delegation_token text, add column delegated_at timestamptz`,
  `alter table domains alter column delegation_token set default replace(gen_random_uuid()::text, '-', '')`,
];
