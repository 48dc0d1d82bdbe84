import { Inject, Injectable } from '@nestjs/common';
import type { CertificateTrust, RevocationCheckResult } from '@pets/contracts';
import { notify, type Database, type Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import type { AcceptedCertificate } from './check-certificate.js';

/** An uploaded certificate, without its key. */
export interface OwnCertificateRow {
  readonly id: string;
  readonly domainId: string;
  readonly organizationId: string;
  readonly state: 'checking' | 'active' | 'expired' | 'revoked';
  readonly isPreferred: boolean;
  readonly trust: CertificateTrust;
  readonly chainPem: string;
  readonly leafSha256: string;
  readonly serialNumber: string;
  readonly issuer: string;
  readonly names: readonly string[];
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
  readonly crlUrls: readonly string[];
  readonly checkAttempt: number;
  readonly checkFailures: number;
  readonly checkedAt: Date | null;
  readonly checkResult: RevocationCheckResult | null;
  readonly checkDetail: string | null;
}

/** How an uploaded certificate ends. `expired` and `revoked` stay visible until the owner replaces or removes them. */
export type OwnCertificateEnd = 'expired' | 'revoked' | 'replaced' | 'removed';

export interface NewOwnCertificate extends Omit<AcceptedCertificate, 'keyPem'> {
  readonly id: string;
  readonly domainId: string;
  readonly organizationId: string;
  readonly isPreferred: boolean;
  readonly trust: CertificateTrust;
  readonly sealedKey: string;
}

const columns = sql`o.id, o.domain_id as "domainId", o.organization_id as "organizationId", o.state,
  o.is_preferred as "isPreferred", o.trust, o.chain_pem as "chainPem", o.leaf_sha256 as "leafSha256",
  o.serial_number as "serialNumber", o.issuer, o.names, o.not_before as "notBefore", o.not_after as "notAfter",
  o.created_at as "createdAt", o.ended_at as "endedAt", o.crl_urls as "crlUrls", o.check_attempt as "checkAttempt", o.check_failures as "checkFailures",
  o.checked_at as "checkedAt", o.check_result as "checkResult", o.check_detail as "checkDetail"`;

const isShown = sql`o.state in ('checking', 'active', 'expired', 'revoked')`;

/** The certificates that owners upload. Every change is made under the lock of the project. */
@Injectable()
export class OwnCertificatesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /**
   * Of some domains the uploads that are shown: the active one, and a newer one that is being checked; without them the last
   * one that ended. The newest first.
   */
  async listShown(domainIds: readonly string[], db: Database = this.db): Promise<Map<string, OwnCertificateRow[]>> {
    if (domainIds.length === 0) return new Map();
    const { rows } = await sql<OwnCertificateRow>`
      select ${columns} from own_certificates o where o.domain_id = any(${domainIds}) and ${isShown}
      order by o.domain_id, o.created_at desc`.execute(db);
    return Map.groupBy(rows, ({ domainId }) => domainId);
  }

  /** The active ones of some domains, by domain id. */
  async findActive(domainIds: readonly string[], db: Database = this.db): Promise<Map<string, OwnCertificateRow>> {
    if (domainIds.length === 0) return new Map();
    const { rows } = await sql<OwnCertificateRow>`
      select ${columns} from own_certificates o where o.domain_id = any(${domainIds}) and o.state = 'active'`.execute(
      db,
    );
    return new Map(rows.map((row) => [row.domainId, row]));
  }

  /** @returns null when there is none, or it has ended and is not shown any more */
  async find(id: string, db: Database = this.db): Promise<OwnCertificateRow | null> {
    const { rows } = await sql<OwnCertificateRow>`
      select ${columns} from own_certificates o where o.id = ${id} and ${isShown}`.execute(db);
    return rows[0] ?? null;
  }

  /** The project of the domain of an upload. */
  async findProject(id: string): Promise<string | null> {
    const row = await this.db
      .selectFrom('own_certificates as o')
      .innerJoin('domains as d', 'd.id', 'o.domain_id')
      .select('d.project_id as projectId')
      .where('o.id', '=', id)
      .executeTakeFirst();
    return row?.projectId ?? null;
  }

  /** Uploads of an organization are counted one after the other, also those of different projects. */
  async lockUploads(tx: Tx, organizationId: string): Promise<void> {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`uploads ${organizationId}`}, 0))`.execute(tx);
  }

  /** How many were uploaded for a domain, or by an organization, since a time, and the first of them. */
  async countUploads(
    tx: Tx,
    of: { readonly domainId: string } | { readonly organizationId: string },
    since: Date,
  ): Promise<{ count: number; firstAt: Date | null }> {
    const owner = 'domainId' in of ? sql`domain_id = ${of.domainId}` : sql`organization_id = ${of.organizationId}`;
    const { rows } = await sql<{ count: number; firstAt: Date | null }>`
      select count(*)::integer as count, min(created_at) as "firstAt" from own_certificates
      where ${owner} and created_at > ${since}`.execute(tx);
    return rows[0] ?? { count: 0, firstAt: null };
  }

  /**
   * What the organization's last check of the same certificate and CA found, so that uploads of certificates in turn have no
   * list read again. Only of rows since a time.
   */
  async findCheck(
    tx: Tx,
    {
      organizationId,
      leafSha256,
      crlIssuerPem,
    }: Pick<NewOwnCertificate, 'organizationId' | 'leafSha256' | 'crlIssuerPem'>,
    since: Date,
  ): Promise<{ result: RevocationCheckResult; detail: string | null; failures: number } | null> {
    const { rows } = await sql<{ result: RevocationCheckResult; detail: string | null; failures: number }>`
      select check_result as result, check_detail as detail, check_failures as failures from own_certificates
      where organization_id = ${organizationId} and created_at > ${since} and checked_at > ${since}
        and leaf_sha256 = ${leafSha256} and crl_issuer_pem is not distinct from ${crlIssuerPem}
      order by checked_at desc limit 1`.execute(tx);
    return rows[0] ?? null;
  }

  /** Ends the lease of an attempt, also of a row that has ended meanwhile, and records what it found. */
  async finishCheck(
    id: string,
    check: { readonly result: RevocationCheckResult | null; readonly detail: string | null; readonly attempt: number },
  ): Promise<void> {
    const { rows } = await sql<{ organizationId: string }>`
      update own_certificates set check_leased_until = null, check_result = ${check.result},
        check_detail = ${check.detail}, checked_at = now()
      where id = ${id} and check_attempt = ${check.attempt} and check_leased_until is not null
      returning organization_id as "organizationId"`.execute(this.db);
    // The next list of the organization may be read.
    if (rows.length > 0) await notify(this.db, 'own_certificates');
  }

  /** Stores an upload that is to be checked, in place of one that still is. */
  async insert(tx: Tx, upload: NewOwnCertificate, now: Date, failures = 0): Promise<void> {
    await this.end(tx, upload.domainId, ['checking'], 'replaced', now);
    await tx
      .insertInto('own_certificates')
      .values({
        ...{ id: upload.id, domain_id: upload.domainId, organization_id: upload.organizationId },
        ...{ state: 'checking', is_preferred: upload.isPreferred, trust: upload.trust },
        ...{ chain_pem: upload.chainPem, sealed_key: upload.sealedKey, leaf_sha256: upload.leafSha256 },
        ...{ serial_number: upload.serialNumber, issuer: upload.issuer, names: [...upload.names] },
        ...{ not_before: upload.notBefore, not_after: upload.notAfter, created_at: now },
        ...{ crl_urls: [...upload.crlUrls], crl_issuer_pem: upload.crlIssuerPem, check_due_at: now },
        check_failures: failures,
      })
      .execute();
    await notify(tx, 'own_certificates');
  }

  /** Ends uploads of a domain. */
  async end(
    tx: Tx,
    domainId: string,
    states: readonly OwnCertificateRow['state'][],
    as: OwnCertificateEnd,
    now: Date,
  ): Promise<void> {
    await tx
      .updateTable('own_certificates')
      .set({ state: as, ended_at: now, step_due_at: null, check_due_at: null })
      .where('domain_id', '=', domainId)
      .where('state', 'in', states)
      .execute();
  }

  /** Makes an upload the active one of its domain, which has no other. */
  async activate(tx: Tx, id: string, stepDueAt: Date): Promise<void> {
    await tx
      .updateTable('own_certificates')
      .set({ state: 'active', step_due_at: stepDueAt })
      .where('id', '=', id)
      .where('state', '=', 'checking')
      .execute();
  }

  async setStep(tx: Tx, id: string, stepDueAt: Date): Promise<void> {
    await tx.updateTable('own_certificates').set({ step_due_at: stepDueAt }).where('id', '=', id).execute();
  }

  async setPreferred(tx: Tx, domainId: string, isPreferred: boolean): Promise<void> {
    await tx
      .updateTable('own_certificates')
      .set({ is_preferred: isPreferred })
      .where('domain_id', '=', domainId)
      .where('state', 'in', ['checking', 'active', 'expired', 'revoked'])
      .execute();
  }

  /** Records what a revocation list says. @param nextAt null for no further check */
  async recordCheck(
    tx: Tx,
    id: string,
    check: {
      readonly result: RevocationCheckResult | null;
      readonly detail: string | null;
      readonly nextAt: Date | null;
    },
    now: Date,
  ): Promise<void> {
    await tx
      .updateTable('own_certificates')
      .set({
        check_result: check.result,
        check_detail: check.detail,
        checked_at: check.result === null ? null : now,
        check_due_at: check.nextAt,
        check_leased_until: null,
        check_failures: check.result === 'unknown' ? sql`check_failures + 1` : 0,
      })
      .where('id', '=', id)
      .execute();
  }

  /** Active ones for which time may have changed something. */
  async listDueSteps(now: Date, limit: number): Promise<OwnCertificateRow[]> {
    const { rows } = await sql<OwnCertificateRow>`
      select ${columns} from own_certificates o where o.state = 'active' and o.step_due_at <= ${now}
      order by o.step_due_at limit ${limit}`.execute(this.db);
    return rows;
  }
}
