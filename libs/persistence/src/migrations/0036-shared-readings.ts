import { sql, type Kysely } from 'kysely';

/** Readings for the metrics that one replica makes for all of them. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table shared_readings (
    name text primary key,
    value jsonb,
    read_at timestamptz,
    -- When it is made again. During a reading, the end of its lease.
    due_at timestamptz not null
  )`,
];
