import { sql } from 'kysely';
import { clearPage } from './paged-rule.js';
import { findFirst, type RetentionRule } from './retention-rule.js';

const endedAt = sql`coalesce(not_after, created_at)`;

/**
 * Nobody needs a row whose key and whose object in the storage were deleted (`unused-keys.sweeper.ts`,
 * `certificate-objects.service.ts`), without a revocation, and with a successor: of a certificate a later one of the same
 * domain and CA, which then decides whether an order is a renewal; of another attempt any later one. Limits of CAs count
 * neither, since `RETENTION_CERTIFICATES` is longer than each window.
 */
const isFree = sql`
  r.csr_pem = '' and not r.has_object
  and not exists (select from certificate_revocations v where v.certificate_id = r.id)
  and case when r.state = 'issued' then exists (
    select from certificates n where n.domain_id = r.domain_id and n.state = 'issued' and n.issued_at > r.issued_at
      and n.directory_url = r.directory_url
  ) else exists (
    select from certificates n where n.domain_id = r.domain_id and (n.generation, n.attempt) > (r.generation, r.attempt)
  ) end`;

export const oldCertificates: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  clear: (tx, batch) =>
    clearPage(
      tx,
      {
        ...{ table: 'certificates', time: endedAt, isOld: sql`true`, isFree },
        deletions: sql`deleted as (delete from certificates where id = any(array(select id from free)) returning 1)`,
      },
      batch,
    ),
  findOldest: (tx) => findFirst(tx, sql`select ${endedAt} as at from certificates order by ${endedAt}, id`),
};
