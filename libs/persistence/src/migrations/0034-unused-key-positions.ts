import { sql, type Kysely } from 'kysely';

/** How far the sweep of unused keys has read. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table unused_key_positions (
    source text primary key check (source in ('replaced', 'removed')),
    -- Certificates issued, or domains removed, up to then were read.
    read_until timestamptz not null
  )`,
];
