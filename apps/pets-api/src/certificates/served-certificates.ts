import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../platform/providers.js';

/**
 * Whether a certificate `c` of a domain `d` was not revoked before the domain was verified, as that of a prepared name is
 * when another organization proves that it owns the name. A revoked certificate of a served name is presented until its
 * replacement is there.
 */
export const isUsable = sql`not exists (
  select from certificate_revocations r
  where r.certificate_id = c.id and (d.verified_at is null or r.requested_at < d.verified_at))`;

/**
 * The certificate that visitors of a domain `d` get, as `chooseCertificate` of libs/domains decides it: the preferred one of
 * the uploaded and the automatic one, unless only the other one is valid.
 */
export const servedCertificate = sql`(
  select s.id, s.not_after, s.leaf_sha256 from (
    (
      select c.id, c.not_after, c.leaf_sha256, false as is_own, false as is_preferred
      from certificates c where c.domain_id = d.id and c.state = 'issued' and ${isUsable}
      order by c.issued_at desc limit 1
    )
    union all
    select c.id, c.not_after, c.leaf_sha256, true, c.is_preferred
    from certificates c where c.domain_id = d.id and c.state = 'active'
  ) s order by s.not_after > now() desc, s.is_preferred desc, s.is_own limit 1
)`;

/** Finds the certificates that visitors get. */
@Injectable()
export class ServedCertificates {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Returns the SHA-256 of the leaf of some domains, by domain id. */
  async find(domainIds: readonly string[]): Promise<Map<string, string>> {
    if (domainIds.length === 0) return new Map();
    const { rows } = await sql<{ id: string; leafSha256: string }>`
      select d.id, n.leaf_sha256 as "leafSha256" from domains d cross join lateral ${servedCertificate} n
      where d.id = any(${domainIds})`.execute(this.db);
    return new Map(rows.map(({ id, leafSha256 }) => [id, leafSha256]));
  }
}
