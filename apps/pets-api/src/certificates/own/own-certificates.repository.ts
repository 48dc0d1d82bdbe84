import { Inject, Injectable } from '@nestjs/common';
import type { CertificateTrust, RevocationCheckResult } from '@pets/contracts';
import { notify, type Database, type Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import type { AcceptedCertificate } from './check-certificate.js';

/** An uploaded certificate, without its chain and key. */
export interface OwnCertificateRow {
  readonly id: string;
  readonly domainId: string;
  readonly organizationId: string;
  readonly state: 'checking' | 'active' | 'expired' | 'revoked';
  readonly isPreferred: boolean;
  readonly trust: CertificateTrust;
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

/** An upload as the next one is compared with it. */
export type ShownUpload = OwnCertificateRow & { readonly chainPem: string };

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

/** Columns of the leaf of any certificate `c`. */
export const leafColumns = sql`c.id, c.domain_id as "domainId", c.leaf_sha256 as "leafSha256", c.issuer,
  c.not_before as "notBefore", c.not_after as "notAfter"`;
/** Columns of an uploaded certificate `c`. */
export const uploadColumns = sql`${leafColumns}, c.organization_id as "organizationId", c.state,
  c.is_preferred as "isPreferred", c.trust, c.serial_number as "serialNumber", c.names, c.created_at as "createdAt",
  c.ended_at as "endedAt", c.crl_urls as "crlUrls", c.check_attempt as "checkAttempt",
  c.check_failures as "checkFailures", c.checked_at as "checkedAt", c.check_result as "checkResult", c.check_detail as "checkDetail"`;

/** Whether a certificate `c` is an upload that the owner sees: the active one, a newer one in its check, and the last that ended. */
export const isShown = sql`c.origin = 'uploaded' and c.state in ('checking', 'active', 'expired', 'revoked')`;

/** The certificates that owners upload. Every change is made under the lock of the project. */
@Injectable()
export class OwnCertificatesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** The uploads of a domain that are shown, the newest first. */
  async listShown(domainId: string, db: Database = this.db): Promise<ShownUpload[]> {
    const { rows } = await sql<ShownUpload>`
      select ${uploadColumns}, c.chain_pem as "chainPem" from certificates c where c.domain_id = ${domainId} and ${isShown}
      order by c.created_at desc`.execute(db);
    return rows;
  }

  /** @returns null when there is none, or it has ended and is not shown any more */
  async find(id: string, db: Database = this.db): Promise<OwnCertificateRow | null> {
    const { rows } = await sql<OwnCertificateRow>`
      select ${uploadColumns} from certificates c where c.id = ${id} and ${isShown}`.execute(db);
    return rows[0] ?? null;
  }

  /** The project of the domain of an upload. */
  async findProject(id: string): Promise<string | null> {
    const row = await this.db
      .selectFrom('certificates as c')
      .innerJoin('domains as d', 'd.id', 'c.domain_id')
      .select('d.project_id as projectId')
      .where('c.id', '=', id)
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
      select count(*)::integer as count, min(created_at) as "firstAt" from certificates
      where origin = 'uploaded' and ${owner} and created_at > ${since}`.execute(tx);
    return rows[0] ?? { count: 0, firstAt: null };
  }

  /**
   * Returns the result of the organization's last check of the same certificate and CA since a time, so that uploads of
   * certificates in turn have no list read again.
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
      select check_result as result, check_detail as detail, check_failures as failures from certificates
      where origin = 'uploaded' and organization_id = ${organizationId} and created_at > ${since} and checked_at > ${since}
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
      update certificates set check_leased_until = null, check_result = ${check.result},
        check_detail = ${check.detail}, checked_at = now()
      where id = ${id} and check_attempt = ${check.attempt} and check_leased_until is not null
      returning organization_id as "organizationId"`.execute(this.db);
    // The next list of the organization may be read.
    if (rows.length > 0) await notify(this.db, 'revocation_checks');
  }

  /** Stores an upload that is to be checked, in place of one that still is. */
  async insert(tx: Tx, upload: NewOwnCertificate, now: Date, failures = 0): Promise<void> {
    await this.end(tx, upload.domainId, ['checking'], 'replaced', now);
    await tx
      .insertInto('certificates')
      .values({
        ...{ id: upload.id, origin: 'uploaded', domain_id: upload.domainId, organization_id: upload.organizationId },
        ...{ is_renewal: null, state: 'checking', is_preferred: upload.isPreferred, trust: upload.trust },
        ...{ chain_pem: upload.chainPem, sealed_key: upload.sealedKey, leaf_sha256: upload.leafSha256 },
        ...{ serial_number: upload.serialNumber, issuer: upload.issuer, names: [...upload.names] },
        ...{ not_before: upload.notBefore, not_after: upload.notAfter, created_at: now },
        ...{ crl_urls: [...upload.crlUrls], crl_issuer_pem: upload.crlIssuerPem, check_due_at: now },
        ...{ check_attempt: 0, check_failures: failures },
      })
      .execute();
    await notify(tx, 'revocation_checks');
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
      .updateTable('certificates')
      .set({ state: as, ended_at: now, step_due_at: null, check_due_at: null })
      .where('domain_id', '=', domainId)
      .where('state', 'in', states)
      .execute();
  }

  /** Makes an upload the active one of its domain, which has no other. */
  async activate(tx: Tx, id: string, stepDueAt: Date): Promise<void> {
    await tx
      .updateTable('certificates')
      .set({ state: 'active', step_due_at: stepDueAt })
      .where('id', '=', id)
      .where('state', '=', 'checking')
      .execute();
  }

  async setStep(tx: Tx, id: string, stepDueAt: Date): Promise<void> {
    await tx.updateTable('certificates').set({ step_due_at: stepDueAt }).where('id', '=', id).execute();
  }

  async setPreferred(tx: Tx, domainId: string, isPreferred: boolean): Promise<void> {
    await tx
      .updateTable('certificates')
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
      .updateTable('certificates')
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
      select ${uploadColumns} from certificates c where c.state = 'active' and c.step_due_at <= ${now}
      order by c.step_due_at limit ${limit}`.execute(this.db);
    return rows;
  }
  /** Ends the uploads of removed domains. @returns how many */
  async endOfRemoved(now: Date, limit: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      update certificates set state = 'removed', ended_at = ${now}, step_due_at = null, check_due_at = null
      where id in (
        select c.id from (
          select id, domain_id from certificates where state = 'active'
          union all
          select id, domain_id from certificates where state = 'checking'
        ) c join domains d on d.id = c.domain_id and d.state = 'removed' limit ${limit}
      )`.execute(this.db);
    return Number(numAffectedRows);
  }

  /** Deletes the keys of uploads that ended before a time. @returns how many */
  async deleteKeys(before: Date, limit: number): Promise<number> {
    const { numAffectedRows = 0n } = await sql`
      update certificates set sealed_key = '' where id in (
        select id from certificates where ended_at < ${before} and has_key order by ended_at limit ${limit}
      )`.execute(this.db);
    return Number(numAffectedRows);
  }
}
