import { sql, type Kysely } from 'kysely';

/**
 * Leases and failures of the checks of revocation lists, by organization. The table is small: a row for each uploaded
 * certificate. Frozen in time, as every migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table own_certificates
    add column check_leased_until timestamptz, add column check_failures integer not null default 0`.execute(db);
  await sql`create index own_certificates_checks_of_organization on own_certificates (organization_id, check_due_at)
    where state in ('checking', 'active') and check_due_at is not null`.execute(db);
  await sql`create index own_certificates_leased_checks on own_certificates (organization_id)
    where check_leased_until is not null`.execute(db);
  await sql`create index own_certificates_of_organization on own_certificates (organization_id, created_at)`.execute(
    db,
  );
}
