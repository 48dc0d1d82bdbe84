import { sql, type Kysely } from 'kysely';

/** Leases and failures of the checks of revocation lists. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table own_certificates
    add column check_leased_until timestamptz, add column check_failures integer not null default 0`.execute(db);
}
