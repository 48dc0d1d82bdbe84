import { sql } from 'kysely';
import { clearPage } from './paged-rules.js';
import { deleteRows, findFirst, type RetentionRule } from './retention-rule.js';

/** Nobody needs a removed domain that no edge serves, without a revocation, a key or an object in the storage. */
const isFree = sql`
  (r.removed_version is null or r.traffic_stopped_at is not null)
  and not exists (select from certificate_revocations v where v.domain_id = r.id)
  and not exists (select from certificates c where c.domain_id = r.id and (c.has_object or c.csr_pem <> ''))
  and not exists (select from own_certificates o where o.domain_id = r.id and o.sealed_key <> '')`;

/** With their schedule and certificates. A claim that no other domain needs is released. */
export const removedDomains: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  clear: (tx, batch) =>
    clearPage(
      tx,
      {
        ...{ table: 'domains', time: sql`removed_at`, isOld: sql`state = 'removed'`, isFree },
        deletions: sql`
          ids as (select array(select id from free) as free),
          deleted_work as (delete from domain_work where domain_id = any((select free from ids)::uuid[])),
          deleted_certificates as (delete from certificates where domain_id = any((select free from ids)::uuid[])),
          deleted_uploads as (delete from own_certificates where domain_id = any((select free from ids)::uuid[])),
          released as (
            update domain_claims c set released_at = now() from free f
            where c.organization_id = f.organization_id and c.name = f.name and not exists (
              select from domains d where d.organization_id = f.organization_id and d.name = f.name
                and d.id <> all((select free from ids)::uuid[])
            )
          ),
          deleted as (delete from domains where id = any((select free from ids)::uuid[]) returning 1)`,
      },
      batch,
    ),
  findOldest: (tx) =>
    findFirst(tx, sql`select removed_at as at from domains where state = 'removed' order by removed_at, id`),
};

/**
 * Claims without a domain. A name that was added while its claim was released keeps the claim.
 */
export const releasedClaims: Pick<RetentionRule, 'clear' | 'findOldest'> = {
  clear: (tx, { before, limit }) =>
    deleteRows(
      tx,
      'domain_claims',
      sql`select c.ctid from domain_claims c
        where c.released_at < ${before} and not exists (
          select from domains d where d.organization_id = c.organization_id and d.name = c.name
        )
        order by c.released_at`,
      limit,
    ),
  findOldest: (tx) =>
    findFirst(tx, sql`select released_at as at from domain_claims where released_at is not null order by released_at`),
};
