import { Inject, Injectable } from '@nestjs/common';
import type { Attempt } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import type { RoutableDomain } from '../edge-feed/compile-routes.js';
import { DATABASE } from '../providers.js';
import type { LeafFacts } from './read-chain.js';

export interface IssuedCertificate extends LeafFacts {
  readonly id: string;
  readonly domainId: string;
  readonly renewAt: Date;
}

@Injectable()
export class CertificatesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Keeps the sealed key of an attempt before the CA is asked: a certificate whose key is lost is worth nothing. */
  async insertPending(certificate: {
    id: string;
    attempt: Attempt;
    name: string;
    apexName: string;
    organizationId: string;
    directoryUrl: string;
    csrPem: string;
    sealedKey: string;
  }): Promise<void> {
    await this.db
      .insertInto('certificates')
      .values({
        id: certificate.id,
        domain_id: certificate.attempt.domainId,
        organization_id: certificate.organizationId,
        name: certificate.name,
        apex_name: certificate.apexName,
        is_renewal: false,
        generation: certificate.attempt.generation,
        attempt: certificate.attempt.attempt,
        state: 'pending',
        directory_url: certificate.directoryUrl,
        csr_pem: certificate.csrPem,
        sealed_key: certificate.sealedKey,
      })
      .execute();
  }

  /** Stores the chain of an attempt. Returns whether that attempt is known and had none yet. */
  async markIssued(
    tx: Tx,
    attempt: Attempt,
    chainPem: string,
    leaf: LeafFacts,
    renewAt: Date,
    now: Date,
  ): Promise<boolean> {
    const { numUpdatedRows } = await tx
      .updateTable('certificates')
      .set({
        state: 'issued',
        chain_pem: chainPem,
        leaf_sha256: leaf.leafSha256,
        issuer: leaf.issuer,
        not_before: leaf.notBefore,
        not_after: leaf.notAfter,
        renew_at: renewAt,
        issued_at: now,
      })
      .where('domain_id', '=', attempt.domainId)
      .where('generation', '=', attempt.generation)
      .where('attempt', '=', attempt.attempt)
      .where('state', '=', 'pending')
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** The newest issued certificate of each of some domains, by domain id. */
  async findNewest(domainIds: readonly string[], db: Database = this.db): Promise<Map<string, IssuedCertificate>> {
    if (domainIds.length === 0) return new Map();
    const { rows } = await sql<IssuedCertificate>`
      select distinct on (domain_id) id, domain_id as "domainId", leaf_sha256 as "leafSha256", issuer,
        not_before as "notBefore", not_after as "notAfter", renew_at as "renewAt"
      from certificates where state = 'issued' and domain_id in (${sql.join(domainIds)})
      order by domain_id, issued_at desc`.execute(db);
    return new Map(rows.map((row) => [row.domainId, row]));
  }

  /** Verified and live domains of some projects, each with its newest certificate, by project id. */
  async listRoutableDomains(tx: Tx, projectIds: readonly string[]): Promise<Map<string, RoutableDomain[]>> {
    const { rows } = await sql<RoutableDomain & { readonly projectId: string }>`
      select d.project_id as "projectId", d.name, (
        select c.id from certificates c where c.domain_id = d.id and c.state = 'issued' order by c.issued_at desc limit 1
      ) as "certificateId"
      from domains d where d.project_id = any(${projectIds}) and d.state in ('verified', 'live')`.execute(tx);
    return Map.groupBy(rows, ({ projectId }) => projectId);
  }
}
