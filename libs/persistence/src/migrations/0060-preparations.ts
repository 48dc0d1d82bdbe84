import { sql, type Kysely } from 'kysely';

/** The preparation of names for a switch of their DNS, and the methods of challenges. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table domains add column prepared_at timestamptz, add column ready_at timestamptz,
    add column elsewhere_since timestamptz`,
  `alter table certificates add column method text`,
];
