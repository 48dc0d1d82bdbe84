import { sql, type Kysely } from 'kysely';

/** How often the limit of a CA counts a name, as each attempt found it. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table certificates
    -- Attempts that count towards the limit, this one included; at most 50. Null where there is no limit, and before.
    add column name_uses smallint`,
];
