import { sql, type Kysely } from 'kysely';

/** Checks of revocation lists and uploads, by organization. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  `drop index concurrently if exists own_certificates_checks_of_organization`,
  `create index concurrently own_certificates_checks_of_organization on own_certificates (organization_id, check_due_at)
    where state in ('checking', 'active') and check_due_at is not null`,
  `drop index concurrently if exists own_certificates_leased_checks`,
  `create index concurrently own_certificates_leased_checks on own_certificates (organization_id)
    where check_leased_until is not null`,
  `drop index concurrently if exists own_certificates_of_organization`,
  `create index concurrently own_certificates_of_organization on own_certificates (organization_id, created_at)`,
];
