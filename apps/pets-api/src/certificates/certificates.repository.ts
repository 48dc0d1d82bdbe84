import { Inject, Injectable } from '@nestjs/common';
import type { Attempt, ChallengeMethod } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../platform/providers.js';
import type { ObjectLease } from './certificate-objects.repository.js';
import { isShown, leafColumns, uploadColumns, type OwnCertificateRow } from './own/own-certificates.repository.js';
import type { LeafFacts } from './x509.js';

/**
 * Whether a certificate `c` of a domain `d` was not revoked before the domain was verified, as that of a prepared name is
 * when another organization proves that it owns the name. A revoked certificate of a served name is presented until its
 * replacement is there.
 */
const isUsable = sql`not exists (
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

export interface IssuedCertificate extends LeafFacts {
  readonly id: string;
  readonly domainId: string;
  /** The directory of the CA that issued it. */
  readonly directoryUrl: string;
  /** Thumbprint of the account key that ordered it. */
  readonly accountThumbprint: string;
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

/** The certificates of a domain, of which visitors get one (`chooseCertificate` of libs/domains). */
export interface DomainCertificates {
  /** The newest usable one that was ordered. */
  readonly automatic: IssuedCertificate | null;
  /** The active upload. */
  readonly own: OwnCertificateRow | null;
  /** The uploads that are shown, the newest first: the active one and a newer one, or the last that ended. */
  readonly uploads: readonly OwnCertificateRow[];
}

type CurrentRow =
  (IssuedCertificate & { readonly origin: 'ordered' }) | (OwnCertificateRow & { readonly origin: 'uploaded' });

/** Columns of an ordered certificate `c`, beside those of its leaf. */
const orderedColumns = sql`c.directory_url as "directoryUrl", c.account_thumbprint as "accountThumbprint", c.identifier, c.renew_at as "renewAt",
  coalesce(c.method, 'http-01') as method`;

/** Whether a certificate `c` of a domain `d` was ordered, is usable, and did not come after the removal. */
const isAutomatic = sql`c.state = 'issued' and ${isUsable} and (d.removed_at is null or c.issued_at < d.removed_at)`;

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
      .where('has_key', '=', true)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** The newest usable certificates that were ordered for some domains, by domain id. */
  async findNewest(domainIds: readonly string[], db: Database = this.db): Promise<Map<string, IssuedCertificate>> {
    if (domainIds.length === 0) return new Map();
    const { rows } = await sql<IssuedCertificate>`
      select distinct on (c.domain_id) ${leafColumns}, ${orderedColumns} from certificates c join domains d on d.id = c.domain_id
      where c.domain_id = any(${domainIds}) and ${isAutomatic}
      order by c.domain_id, c.issued_at desc`.execute(db);
    return new Map(rows.map((row) => [row.domainId, row]));
  }

  /** The certificates of some domains, by one statement. */
  async findCurrent(
    domainIds: readonly string[],
    db: Database = this.db,
  ): Promise<(domainId: string) => DomainCertificates> {
    const { rows } = await sql<CurrentRow>`
      select c.origin, ${uploadColumns}, ${orderedColumns} from domains d cross join lateral (
        (select c.* from certificates c where c.domain_id = d.id and ${isAutomatic} order by c.issued_at desc limit 1)
        union all
        (select c.* from certificates c where c.domain_id = d.id and ${isShown})
      ) c
      where d.id = any(${domainIds}) order by c.created_at desc`.execute(db);
    const byDomain = Map.groupBy(rows, ({ domainId }) => domainId);
    return (domainId) => {
      const current = byDomain.get(domainId) ?? [];
      const uploads = current.filter((row) => row.origin === 'uploaded');
      return {
        automatic: current.find((row) => row.origin === 'ordered') ?? null,
        own: uploads.find(({ state }) => state === 'active') ?? null,
        uploads,
      };
    };
  }
}

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
