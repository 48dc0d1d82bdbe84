import { Inject, Injectable } from '@nestjs/common';
import type { Attempt, ChallengeMethod, DomainEvents } from '@pets/contracts';
import { orderEnd } from '@pets/domains';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { isOpenOrder } from '../names/domain-row.js';
import { DATABASE } from '../platform/providers.js';

/** The account that placed an order: at a CA, with a key. */
interface OrderAccount {
  readonly directoryUrl: string;
  readonly accountThumbprint: string;
}

/** An attempt without a result. Its order is null if the API was not notified of one. */
export interface PendingAttempt extends OrderAccount {
  readonly id: string;
  readonly domainId: string;
  readonly csrPem: string;
  readonly createdAt: Date;
  readonly order: OpenOrder | null;
}

/** An order that a CA has accepted and that is not finished. */
export interface OpenOrder {
  readonly url: string;
  readonly method: ChallengeMethod;
  readonly orderedAt: Date;
  readonly expiresAt: Date;
}

const orderColumns = sql`case when c.order_url is not null then jsonb_build_object(
  'url', c.order_url, 'method', coalesce(c.method, 'http-01'), 'orderedAt', c.ordered_at, 'expiresAt', c.order_expires_at
) end`;

/**
 * Orders that outlive the job that placed them. The row of the attempt has the order, with its key, request, CA and
 * method; the attempt that continues it takes the row over.
 */
@Injectable()
export class OpenOrdersRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /**
   * Stores the order of an attempt. The row of the domain is locked first: a change of its schedule that does not see the order
   * is seen by the caller. @returns false if the attempt is not the current one of its row, or has an order
   */
  async store(tx: Tx, event: DomainEvents['certificate.ordered'], now: Date): Promise<boolean> {
    await tx.selectFrom('domains').select('id').where('id', '=', event.domainId).forShare().execute();
    const { numUpdatedRows } = await tx
      .updateTable('certificates')
      .set({
        order_url: event.orderUrl,
        ordered_at: now,
        order_expires_at: orderEnd(event.expires, now),
        method: event.method,
        replaces: event.replaces,
      })
      .where('domain_id', '=', event.domainId)
      .where('generation', '=', event.generation)
      .where('attempt', '=', event.attempt)
      .where('directory_url', '=', event.directoryUrl)
      .where('state', '=', 'pending')
      .where('ordered', 'is', null)
      .where('order_url', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** The last attempt of each domain that has not reported a result, by domain id. */
  async findPending(domainIds: readonly string[]): Promise<ReadonlyMap<string, PendingAttempt>> {
    const { rows } = await sql<PendingAttempt & { order: StoredOrder | null }>`
      select distinct on (c.domain_id) c.id, c.domain_id as "domainId", c.directory_url as "directoryUrl",
        c.account_thumbprint as "accountThumbprint", c.csr_pem as "csrPem", c.created_at as "createdAt", ${orderColumns} as "order"
      from certificates c
      where c.domain_id = any(${domainIds}) and c.state = 'pending' and c.ordered is null and c.has_key
      order by c.domain_id, c.order_url is null, c.created_at desc`.execute(this.db);
    return new Map(rows.map((row) => [row.domainId, { ...row, order: row.order && read(row.order) }]));
  }

  /** The open order of an attempt, and whether the attempt began after its end; null if it has none. */
  async find(
    tx: Tx,
    { domainId, generation, attempt }: Attempt,
  ): Promise<(OpenOrder & { readonly directoryUrl: string; readonly wasReadLast: boolean }) | null> {
    const { rows } = await sql<{ directoryUrl: string; wasReadLast: boolean; order: StoredOrder }>`
      select c.directory_url as "directoryUrl", ${orderColumns} as "order", exists (
          select from domain_work w
          where w.domain_id = c.domain_id and w.kind = 'issuance' and w.claimed_at >= c.order_expires_at
        ) as "wasReadLast"
      from certificates c
      where c.domain_id = ${domainId} and c.generation = ${generation} and c.attempt = ${attempt} and ${isOpenOrder}`.execute(
      tx,
    );
    const [row] = rows;
    return row === undefined ? null : { ...row, ...read(row.order) };
  }

  /** Lists those of the given domains that have an open order. */
  async listDomains(tx: Tx, domainIds: readonly string[]): Promise<string[]> {
    if (domainIds.length === 0) return [];
    const { rows } = await sql<{ domainId: string }>`
      select distinct c.domain_id as "domainId" from certificates c
      where c.domain_id = any(${domainIds}) and ${isOpenOrder}`.execute(tx);
    return rows.map(({ domainId }) => domainId);
  }

  /**
   * Hands rows over to the attempts that continue their orders: results of earlier attempts find no row any more.
   * @returns the ids of those whose order was still open
   */
  async takeOver(rows: readonly (Attempt & { readonly id: string })[]): Promise<ReadonlySet<string>> {
    if (rows.length === 0) return new Set();
    const taken = await sql<{ id: string }>`
      update certificates c set generation = n.generation, attempt = n.attempt
      from unnest(
        ${rows.map(({ id }) => id)}::uuid[], ${rows.map(({ generation }) => generation)}::integer[],
        ${rows.map(({ attempt }) => attempt)}::integer[]
      ) as n (id, generation, attempt)
      where c.id = n.id and ${isOpenOrder}
      returning c.id`.execute(this.db);
    return new Set(taken.rows.map(({ id }) => id));
  }

  /** Gives orders up that nobody continues. They count: the CA may have issued their certificates. */
  async giveUp(ids: readonly string[], now: Date): Promise<void> {
    if (ids.length === 0) return;
    await sql`
      update certificates c
      set state = 'failed', ordered = true, failure_class = 'passing', failure_stage = 'finalize', failed_at = ${now}
      where c.id = any(${ids}) and ${isOpenOrder}`.execute(this.db);
  }

  /** Undoes the end of an attempt whose order may still give a certificate. Its failure counts for the choice of a CA. */
  async reopen(tx: Tx, { domainId, generation, attempt }: Attempt): Promise<void> {
    await sql`
      update certificates set state = 'pending', ordered = null
      where domain_id = ${domainId} and generation = ${generation} and attempt = ${attempt} and state = 'failed'
        and order_url is not null`.execute(tx);
  }
}

/** Open order as JSON. */
interface StoredOrder extends Pick<OpenOrder, 'url' | 'method'> {
  readonly orderedAt: string;
  readonly expiresAt: string;
}

function read({ url, method, orderedAt, expiresAt }: StoredOrder): OpenOrder {
  return { url, method, orderedAt: new Date(orderedAt), expiresAt: new Date(expiresAt) };
}
