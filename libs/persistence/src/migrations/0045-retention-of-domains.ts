import { sql, type Kysely } from 'kysely';

/** What the deletion of certificates, removed domains and claims looks for. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  // Of a certificate its expiry, of an attempt without one its beginning.
  `drop index concurrently if exists certificates_by_end`,
  `create index concurrently certificates_by_end on certificates (coalesce(not_after, created_at), id)`,
  `drop index concurrently if exists domains_removed`,
  `create index concurrently domains_removed on domains (removed_at, id) where state = 'removed'`,
  // For foreign keys: a deletion looks for rows that reference what it deletes.
  `drop index concurrently if exists certificate_revocations_by_domain`,
  `create index concurrently certificate_revocations_by_domain on certificate_revocations (domain_id)`,
  `drop index concurrently if exists domains_by_claim`,
  `create index concurrently domains_by_claim on domains (organization_id, name)`,
  `drop index concurrently if exists domain_claims_released`,
  `create index concurrently domain_claims_released on domain_claims (released_at) where released_at is not null`,
];
