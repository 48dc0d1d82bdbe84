import { Inject, Injectable } from '@nestjs/common';
import { PLATFORM_ORGANIZATION, type DomainEvents, type FailureClass, type SealedCertificate } from '@pets/contracts';
import { orderEnd, ORDERS_COUNT_FOR_MS } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import type { IssuedCertificate } from '../certificates.repository.js';
import type { LeafFacts } from '../x509.js';
import type { PlatformSubject } from './platform-subject.js';

/** An attempt that is about to be dispatched. */
export interface PlatformReservation {
  readonly directoryUrl: string;
  readonly accountThumbprint: string;
  readonly id: string;
  readonly attempt: number;
  readonly csrPem: string;
  readonly sealedKey: string;
  readonly replaces: string | null;
  readonly isRenewal: boolean;
}

/** An attempt without a result. */
export interface PendingPlatformCertificate {
  readonly directoryUrl: string;
  readonly accountThumbprint: string;
  readonly id: string;
  readonly csrPem: string;
  readonly sealedKey: string;
  /** When the CA accepted its order; null before that. */
  readonly orderedAt: Date | null;
}

/** An attempt whose order the CA has accepted and not finished. */
export interface OpenPlatformOrder extends PendingPlatformCertificate {
  readonly attempt: number;
  readonly url: string;
  readonly orderedAt: Date;
  readonly expiresAt: Date;
}

/** Attempts to get the platform certificate, one row each, as `certificates` has them for domains. */
@Injectable()
export class PlatformCertificatesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Stores the order of a pending attempt. @returns whether it had none */
  async storeOrder(
    { domainId, attempt, directoryUrl, orderUrl, expires, replaces }: DomainEvents['certificate.ordered'],
    now: Date,
  ): Promise<boolean> {
    const { numAffectedRows = 0n } = await sql`
      update platform_certificates
      set order_url = ${orderUrl}, ordered_at = ${now}, order_expires_at = ${orderEnd(expires, now)}, replaces = ${replaces}
      where order_id = ${domainId} and attempt = ${attempt} and directory_url = ${directoryUrl}
        and state = 'pending' and ordered is null and order_url is null`.execute(this.db);
    return numAffectedRows > 0n;
  }

  /** The open order of the last attempt. */
  async findOpenOrder(orderId: string, db: Database = this.db): Promise<OpenPlatformOrder | undefined> {
    const { rows } = await sql<OpenPlatformOrder>`
      select id, attempt, csr_pem as "csrPem", sealed_key as "sealedKey", directory_url as "directoryUrl",
        account_thumbprint as "accountThumbprint", order_url as url, ordered_at as "orderedAt", order_expires_at as "expiresAt"
      from platform_certificates where order_id = ${orderId} and state = 'pending' and ordered is null and order_url is not null
      order by attempt desc limit 1`.execute(db);
    return rows[0];
  }

  /** Hands the row of an open order over to the attempt that continues it. */
  async takeOver(id: string, attempt: number): Promise<void> {
    await sql`update platform_certificates set attempt = ${attempt} where id = ${id} and state = 'pending'`.execute(
      this.db,
    );
  }

  /** Undoes the end of an attempt whose order may still give a certificate. */
  async reopen(tx: Tx, id: string): Promise<void> {
    await sql`update platform_certificates set state = 'pending', ordered = null where id = ${id}`.execute(tx);
  }

  /** When the attempts began that have reported neither an order nor a result. */
  async listUnreported(id: string): Promise<{ readonly createdAt: Date }[]> {
    const { rows } = await sql<{ createdAt: Date }>`
      select created_at as "createdAt" from platform_certificates
      where order_id = ${id} and state = 'pending' and ordered is null and order_url is null`.execute(this.db);
    return rows;
  }

  /**
   * Ends attempts whose jobs were lost. As for domains, one that never reported an order uses no budget and stays pending, and
   * an order that is given up counts. @returns whether there were any
   */
  async endLost(id: string): Promise<boolean> {
    const { numAffectedRows = 0n } = await sql`
      update platform_certificates set ordered = order_url is not null,
        state = case when order_url is not null then 'failed' else state end,
        failure_class = case when order_url is not null then 'passing' end,
        failure_stage = case when order_url is not null then 'finalize' end
      where order_id = ${id} and state = 'pending' and ordered is null`.execute(this.db);
    return numAffectedRows > 0n;
  }

  /** Stores the sealed key before the order: a certificate without its key is useless. */
  async reserve(tx: Tx, subject: PlatformSubject, reservation: PlatformReservation, now: Date): Promise<void> {
    const { domainId, name, apexName } = subject;
    const { id, attempt, directoryUrl, accountThumbprint, csrPem, sealedKey, replaces, isRenewal } = reservation;
    await sql`
      insert into platform_certificates (id, order_id, attempt, state, name, apex_name, directory_url,
        account_thumbprint, csr_pem, sealed_key, replaces, is_renewal, created_at)
      values (${id}, ${domainId}, ${attempt}, 'pending', ${name}, ${apexName}, ${directoryUrl},
        ${accountThumbprint}, ${csrPem}, ${sealedKey}, ${replaces}, ${isRenewal}, ${now})`.execute(tx);
  }

  async findPending(
    orderId: string,
    attempt: number,
    db: Database = this.db,
  ): Promise<PendingPlatformCertificate | undefined> {
    const { rows } = await sql<PendingPlatformCertificate>`
      select id, csr_pem as "csrPem", sealed_key as "sealedKey", directory_url as "directoryUrl",
        account_thumbprint as "accountThumbprint", ordered_at as "orderedAt"
      from platform_certificates where order_id = ${orderId} and attempt = ${attempt} and state = 'pending'`.execute(
      db,
    );
    return rows[0];
  }

  async markIssued(
    tx: Tx,
    id: string,
    issued: { readonly chainPem: string; readonly leaf: LeafFacts; readonly renewAt: Date; readonly written: boolean },
    now: Date,
  ): Promise<void> {
    const { chainPem, leaf, renewAt, written } = issued;
    await sql`
      update platform_certificates
      set state = 'issued', ordered = true, chain_pem = ${chainPem}, leaf_sha256 = ${leaf.leafSha256},
        issuer = ${leaf.issuer}, not_before = ${leaf.notBefore}, not_after = ${leaf.notAfter},
        identifier = ${leaf.identifier}, renew_at = ${renewAt}, issued_at = ${now},
        object_written_at = ${written ? now : null}
      where id = ${id}`.execute(tx);
  }

  async fail(
    tx: Tx,
    id: string,
    failure: {
      readonly class: FailureClass;
      readonly stage: string;
      readonly ordered: boolean;
      readonly retryAt: Date | null;
    },
  ): Promise<void> {
    await sql`
      update platform_certificates
      set state = 'failed', ordered = ${failure.ordered}, failure_class = ${failure.class},
        failure_stage = ${failure.stage}, retry_at = ${failure.retryAt}
      where id = ${id}`.execute(tx);
  }

  /** The newest certificate. */
  async findNewest(orderId: string, db: Database = this.db): Promise<IssuedCertificate | undefined> {
    const { rows } = await sql<IssuedCertificate>`
      select id, order_id as "domainId", leaf_sha256 as "leafSha256", issuer, directory_url as "directoryUrl",
        account_thumbprint as "accountThumbprint", identifier, not_before as "notBefore", not_after as "notAfter", renew_at as "renewAt", 'dns-01' as method
      from platform_certificates where order_id = ${orderId} and state = 'issued'
      order by issued_at desc limit 1`.execute(db);
    return rows[0];
  }

  /** The times of orders that count, oldest first. */
  async findOrders(tx: Tx, orderId: string, now: Date): Promise<Date[]> {
    const { rows } = await sql<{ at: Date }>`
      select created_at as at from platform_certificates
      where order_id = ${orderId} and ordered is distinct from false
        and created_at > ${new Date(now.getTime() - ORDERS_COUNT_FOR_MS)}
      order by created_at`.execute(tx);
    return rows.map(({ at }) => at);
  }

  /** Issued certificates whose object is missing or outdated. */
  async listUnwritten(): Promise<SealedCertificate[]> {
    const { rows } = await sql<SealedCertificate>`
      select id, ${PLATFORM_ORGANIZATION}::text as "organizationId", chain_pem as "chainPem", sealed_key as "sealedKey"
      from platform_certificates where state = 'issued' and object_written_at is null and sealed_key <> ''`.execute(
      this.db,
    );
    return rows;
  }

  async recordWritten({ id, sealedKey }: Pick<SealedCertificate, 'id' | 'sealedKey'>, now: Date): Promise<void> {
    await sql`update platform_certificates set object_written_at = ${now}
      where id = ${id} and sealed_key = ${sealedKey}`.execute(this.db);
  }

  /** Attempts whose keys nobody needs since a time: without a certificate, or with one that has a successor or has expired. */
  async listUnused(before: Date): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      select c.id from platform_certificates c
      where c.sealed_key <> '' and case when c.state = 'issued' then c.not_after < ${before} or exists (
        select from platform_certificates n
        where n.order_id = c.order_id and n.state = 'issued' and n.issued_at > c.issued_at and n.issued_at < ${before}
      ) else c.created_at < ${before} and not (c.state = 'pending' and coalesce(c.order_expires_at > ${before}, false)) end`.execute(
      this.db,
    );
    return rows.map(({ id }) => id);
  }

  async forgetKey(id: string): Promise<void> {
    await sql`update platform_certificates set sealed_key = '', csr_pem = '' where id = ${id}`.execute(this.db);
  }
}
