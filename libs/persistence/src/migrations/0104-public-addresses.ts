import { sql, type Kysely } from 'kysely';

/** The public addresses of the platform, and which of them a name showed. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table public_addresses (
    address inet primary key,
    retiring_since timestamptz,
    added_at timestamptz not null default now()
  )`.execute(db);
  await sql`alter table domains add column matched_addresses inet[]`.execute(db);
}
