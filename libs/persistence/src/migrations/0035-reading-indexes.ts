import { sql, type Kysely } from 'kysely';

/** What readings, sweeps and the limits of the CAs look for. Frozen in time, as every migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

export const isConcurrent = true;

const statements = [
  // Orders that count as new for a CA. Renewals are thirty times as many, and most limits exempt them.
  `drop index concurrently if exists certificates_new_orders`,
  `create index concurrently certificates_new_orders on certificates (directory_url, created_at)
    where ordered is distinct from false and replaces is null and not is_renewal`,
  // Unused keys: of attempts without a certificate, of certificates with a successor, and of removed domains.
  `drop index concurrently if exists certificates_unissued_keys`,
  `create index concurrently certificates_unissued_keys on certificates (created_at)
    where state <> 'issued' and csr_pem <> ''`,
  `drop index concurrently if exists certificates_by_issue`,
  `create index concurrently certificates_by_issue on certificates (issued_at, domain_id) where state = 'issued'`,
  `drop index concurrently if exists certificates_issued_keys`,
  `create index concurrently certificates_issued_keys on certificates (domain_id, issued_at)
    where state = 'issued' and csr_pem <> ''`,
  `drop index concurrently if exists domains_by_removal`,
  `create index concurrently domains_by_removal on domains (removed_at) where removed_at is not null`,
  // The ids of the key-encryption keys in use.
  `drop index concurrently if exists certificates_by_encryption_key`,
  `create index concurrently certificates_by_encryption_key on certificates (split_part(sealed_key, '.', 2))
    where sealed_key <> ''`,
  `drop index concurrently if exists idempotent_answers_by_encryption_key`,
  `create index concurrently idempotent_answers_by_encryption_key on idempotent_answers (split_part(answer, '.', 2))
    where answer <> ''`,
  // Certificates in use: the served domains by id, and the newest certificate of each, without reading their rows.
  `drop index concurrently if exists domains_served`,
  `create index concurrently domains_served on domains (id) where state in ('verified', 'live')`,
  `drop index concurrently if exists certificates_newest_end`,
  `create index concurrently certificates_newest_end on certificates (domain_id, issued_at desc) include (not_after)
    where state = 'issued'`,
];
