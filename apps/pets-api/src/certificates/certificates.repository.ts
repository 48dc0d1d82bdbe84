import { Inject, Injectable } from '@nestjs/common';
import type { Attempt, ChallengeMethod } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../platform/providers.js';
import type { ObjectLease } from './certificate-objects.repository.js';
import { isUsable } from './served-certificates.js';
import type { LeafFacts } from './x509.js';

export interface IssuedCertificate extends LeafFacts {
  readonly id: string;
  readonly domainId: string;
  /** The directory of the CA that issued it. */
  readonly directoryUrl: string;
  /** The account that ordered it. */
  readonly account: string;
  readonly renewAt: Date;
  readonly method: ChallengeMethod;
}

/** A chain that an attempt got. */
interface IssuedChain {
  readonly chainPem: string;
  readonly leaf: LeafFacts;
  readonly renewAt: Date;
  readonly method: ChallengeMethod;
  /** Under which lease, and with which sealed key, its object was written; null when it was not. */
  readonly object: (ObjectLease & { readonly sealedKey: string }) | null;
}

@Injectable()
export class CertificatesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** The signing request of an attempt (PEM), which never changes; null when the attempt is unknown. */
  async findRequest({ domainId, generation, attempt }: Attempt): Promise<string | null> {
    const row = await this.db
      .selectFrom('certificates')
      .select('csr_pem')
      .where('domain_id', '=', domainId)
      .where('generation', '=', generation)
      .where('attempt', '=', attempt)
      .executeTakeFirst();
    return row?.csr_pem ?? null;
  }

  /**
   * Stores the chain of an attempt. Its object is current if its lease has not ended and the key was not rewrapped.
   * @returns whether the attempt is known, was pending, and still has its key
   */
  async markIssued(
    tx: Tx,
    attempt: Attempt,
    { chainPem, leaf, renewAt, method, object }: IssuedChain,
    now: Date,
  ): Promise<boolean> {
    const leaseUntil = object?.leaseUntil ?? null;
    const sealedKey = object?.sealedKey ?? null;
    const { numUpdatedRows } = await tx
      .updateTable('certificates')
      .set({
        state: 'issued',
        ordered: true,
        chain_pem: chainPem,
        leaf_sha256: leaf.leafSha256,
        issuer: leaf.issuer,
        not_before: leaf.notBefore,
        not_after: leaf.notAfter,
        identifier: leaf.identifier,
        renew_at: renewAt,
        method,
        issued_at: now,
        object_written_at: sql<Date | null>`
          case when object_lease_until = ${leaseUntil} and sealed_key = ${sealedKey} then ${now}::timestamptz end`,
        object_lease_until: sql<Date | null>`nullif(object_lease_until, ${leaseUntil})`,
      })
      .where('domain_id', '=', attempt.domainId)
      .where('generation', '=', attempt.generation)
      .where('attempt', '=', attempt.attempt)
      .where('state', '=', 'pending')
      .where('csr_pem', '<>', '')
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** The newest usable certificates of some domains, by domain id; without those that came after the removal. */
  async findNewest(domainIds: readonly string[], db: Database = this.db): Promise<Map<string, IssuedCertificate>> {
    if (domainIds.length === 0) return new Map();
    const { rows } = await sql<IssuedCertificate>`
      select distinct on (c.domain_id) c.id, c.domain_id as "domainId", leaf_sha256 as "leafSha256", issuer,
        directory_url as "directoryUrl", account, identifier, not_before as "notBefore", not_after as "notAfter", renew_at as "renewAt",
        coalesce(method, 'http-01') as method
      from certificates c join domains d on d.id = c.domain_id
      where c.state = 'issued' and c.domain_id = any(${domainIds}) and ${isUsable}
        and (d.removed_at is null or c.issued_at < d.removed_at)
      order by c.domain_id, c.issued_at desc`.execute(db);
    return new Map(rows.map((row) => [row.domainId, row]));
  }
}
