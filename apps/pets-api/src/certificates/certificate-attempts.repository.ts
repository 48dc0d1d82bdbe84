import { Inject, Injectable } from '@nestjs/common';
import type { Attempt, ChallengeMethod, DomainEvents, FailureClass } from '@pets/contracts';
import { ORDERS_COUNT_FOR_MS, type CaRecord, type CertificateSubject } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { sql, type NotNull } from 'kysely';
import { DATABASE } from '../platform/providers.js';

/** An attempt that is about to be dispatched. */
export interface Reservation {
  readonly id: string;
  readonly attempt: Attempt;
  readonly name: string;
  readonly apexName: string;
  readonly organizationId: string;
  readonly directoryUrl: string;
  readonly accountThumbprint: string;
  readonly csrPem: string;
  readonly sealedKey: string;
  readonly replaces: string | null;
  readonly isRenewal: boolean;
  /** Attempts for the name that count towards the limit of the exact set, this one included; null without the limit. */
  readonly nameUses: number | null;
}

/** Larger numbers of uses are stored as this. */
export const MAX_STORED_USES = 50;

/** Boulder treats an order as a renewal when it issued for exactly the same names within this time. */
const RENEWAL_DAYS = 120;

/**
 * Attempts to get a certificate, one row each in `certificates`, and how they count towards the limits of the CAs. A
 * `pending` row reserves an order; `ordered = false` means that no order was made.
 */
@Injectable()
export class CertificateAttemptsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Until `tx` ends, no other replica decides by the limits of these directories. */
  async lock(tx: Tx, directoryUrls: Iterable<string>): Promise<void> {
    for (const url of [...directoryUrls].toSorted())
      await sql`select pg_advisory_xact_lock(hashtextextended(${`certificates of ${url}`}, 0))`.execute(tx);
  }

  /**
   * Releases the reservations of earlier attempts of some domains that never reported: a new attempt replaces one whose
   * job was lost. Otherwise a worker that is down for ten minutes would use up the limit of a week.
   * @returns the slots of attempts younger than `slotLifeSeconds`, which the new attempts inherit: `<directory> <domain id>`
   */
  async releaseStaleReservations(
    db: Database,
    domainIds: readonly string[],
    slotLifeSeconds: number,
  ): Promise<Set<string>> {
    const { rows } = await sql<{ directoryUrl: string; domainId: string; isInherited: boolean }>`
      update certificates set ordered = false
      where domain_id = any(${domainIds}) and state = 'pending' and ordered is null and order_url is null
      returning directory_url as "directoryUrl", domain_id as "domainId",
        created_at > now() - make_interval(secs => ${slotLifeSeconds}) and replaces is null and not is_renewal
          as "isInherited"`.execute(db);
    const inherited = rows.filter(({ isInherited }) => isInherited);
    return new Set(inherited.map(({ directoryUrl, domainId }) => `${directoryUrl} ${domainId}`));
  }

  /** Stores the sealed keys before the order: a certificate without its key is useless. */
  async reserve(tx: Tx, reservations: readonly Reservation[], now: Date): Promise<void> {
    if (reservations.length === 0) return;
    await tx
      .insertInto('certificates')
      .values(
        reservations.map((reservation) => ({
          id: reservation.id,
          origin: 'ordered' as const,
          domain_id: reservation.attempt.domainId,
          generation: reservation.attempt.generation,
          attempt: reservation.attempt.attempt,
          state: 'pending' as const,
          organization_id: reservation.organizationId,
          name: reservation.name,
          apex_name: reservation.apexName,
          directory_url: reservation.directoryUrl,
          account_thumbprint: reservation.accountThumbprint,
          csr_pem: reservation.csrPem,
          sealed_key: reservation.sealedKey,
          replaces: reservation.replaces,
          is_renewal: reservation.isRenewal,
          name_uses: reservation.nameUses === null ? null : Math.min(reservation.nameUses, MAX_STORED_USES),
          created_at: now,
        })),
      )
      .execute();
  }

  /** The CA and the names of an attempt without a result; null when there is none. */
  async findOrdered({
    domainId,
    generation,
    attempt,
  }: Attempt): Promise<(CertificateSubject & { readonly directoryUrl: string }) | null> {
    const row = await this.db
      .selectFrom('certificates')
      .select(['directory_url as directoryUrl', 'domain_id as domainId', 'name', 'apex_name as apexName'])
      .where('domain_id', '=', domainId)
      .where('generation', '=', generation)
      .where('attempt', '=', attempt)
      .where('state', '=', 'pending')
      .$narrowType<{ directoryUrl: NotNull; account: NotNull; name: NotNull; apexName: NotNull }>()
      .executeTakeFirst();
    return row ?? null;
  }

  /** Records a failure. @returns the CA of the attempt and its order; null when it is unknown or has ended */
  async fail(
    tx: Tx,
    { domainId, generation, attempt }: Attempt,
    failure: {
      readonly class: FailureClass;
      readonly stage: DomainEvents['certificate.failed']['stage'];
      readonly ordered: boolean;
      readonly method: ChallengeMethod | null;
      readonly retryAt: Date | null;
    },
    now: Date,
  ): Promise<{ readonly directoryUrl: string; readonly orderedAt: Date | null } | null> {
    const row = await tx
      .updateTable('certificates')
      .set({
        state: 'failed',
        ordered: failure.ordered,
        failure_class: failure.class,
        failure_stage: failure.stage,
        // A failure that names no method does not change that of an order.
        ...(failure.method !== null && { method: failure.method }),
        retry_at: failure.retryAt,
        failed_at: now,
      })
      .where('domain_id', '=', domainId)
      .where('generation', '=', generation)
      .where('attempt', '=', attempt)
      .where('state', '=', 'pending')
      .returning(['directory_url as directoryUrl', 'ordered_at as orderedAt'])
      .$narrowType<{ directoryUrl: NotNull }>()
      .executeTakeFirst();
    return row ?? null;
  }

  /** The failures of the CAs for some domains; without those that had none. */
  async listRecords(db: Database, domainIds: readonly string[]): Promise<CaRecord[]> {
    const isOfCa = sql`c.failure_class in ('passing', 'rate') and c.failure_stage <> 'gate'`;
    const { rows } = await sql<CaRecord>`
      select c.domain_id as "domainId", c.directory_url as "directoryUrl",
        (count(*) filter (where ${isOfCa}))::integer as failures, max(c.retry_at) filter (where ${isOfCa}) as "retryAt",
        coalesce(bool_or(c.replaces is not null and (
          c.state = 'pending' or c.failure_class <> 'rate' and c.failure_stage in ('order', 'finalize', 'chain')
        )), false) as "isReplacementDoubtful"
      from ca_attempts c
      where c.domain_id = any(${domainIds}) and c.state <> 'issued' and c.created_at > coalesce((
        select max(i.issued_at) from ca_attempts i where i.domain_id = c.domain_id and i.state = 'issued'
      ), '-infinity')
      group by c.domain_id, c.directory_url`.execute(db);
    return rows;
  }

  /** Names with a recent certificate, each as `<directory> <name>`. */
  async findRenewals(db: Database, directoryUrls: readonly string[], names: readonly string[]): Promise<Set<string>> {
    const { rows } = await sql<{ directoryUrl: string; name: string }>`
      select distinct directory_url as "directoryUrl", name from ca_attempts
      where directory_url = any(${directoryUrls}) and name = any(${names}) and ordered is distinct from false
        and state = 'issued' and issued_at > now() - make_interval(days => ${RENEWAL_DAYS})`.execute(db);
    return new Set(rows.map(({ directoryUrl, name }) => `${directoryUrl} ${name}`));
  }

  /** The times of recent orders of some domains, oldest first, by domain id. */
  async findOrders(domainIds: readonly string[], now: Date, db: Database | Tx = this.db): Promise<Map<string, Date[]>> {
    if (domainIds.length === 0) return new Map();
    const { rows } = await sql<{ domainId: string; times: Date[] }>`
      select domain_id as "domainId", array_agg(created_at order by created_at) as times from certificates
      where origin = 'ordered' and domain_id = any(${domainIds}) and ordered is distinct from false
        and created_at > ${new Date(now.getTime() - ORDERS_COUNT_FOR_MS)}
      group by domain_id`.execute(db);
    return new Map(rows.map(({ domainId, times }) => [domainId, times]));
  }

  /** Whether the last attempt of a generation failed; its order may still be open. */
  async hasLastFailed(tx: Tx, domainId: string, generation: number): Promise<boolean> {
    const last = await tx
      .selectFrom('certificates')
      .select('failed_at')
      .where('domain_id', '=', domainId)
      .where('generation', '=', generation)
      .orderBy('attempt', 'desc')
      .limit(1)
      .executeTakeFirst();
    return last !== undefined && last.failed_at !== null;
  }
}
