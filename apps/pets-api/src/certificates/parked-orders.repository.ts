import { Injectable } from '@nestjs/common';
import type { OrderRank } from '@pets/domains';
import { recordset, type Database, type Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { suspensionsOfDomain } from '../access/suspensions/suspensions.repository.js';
import type { NextOrder } from './order-queue.repository.js';

/** A registered domain at a CA. */
export interface LimitedDomain {
  readonly directoryUrl: string;
  readonly apexName: string;
}

/** An order that waits until its registered domain is below a limit. */
export interface ParkedOrder extends LimitedDomain {
  readonly domainId: string;
  readonly rank: OrderRank;
  /** When the limit is expected to allow one. */
  readonly until: Date;
}

/** An order that was released and not placed within this time no longer counts as one that will be. */
const RELEASE_LIFE_SECONDS = 60 * 60;

/**
 * Orders below registered domains that are at the limit of a CA (`parked_orders`), and when the limit of each is looked at
 * again (`limited_domains`). A row waits, or is released (`released_at`) until its order is placed. While it waits, its
 * `domain_work` row is not due. Writers hold the lock of the directory (`CertificateAttemptsRepository.lock`).
 */
@Injectable()
export class ParkedOrdersRepository {
  /** Appends orders. Those that wait already keep their place. */
  async park(tx: Tx, orders: readonly ParkedOrder[]): Promise<void> {
    if (orders.length === 0) return;
    await sql`
      insert into parked_orders as p (domain_id, directory_url, apex_name, rank)
      select o."domainId", o."directoryUrl", o."apexName", o.rank from ${recordset('o', parkedColumns, orders)}
      on conflict (domain_id) do update
      set directory_url = excluded.directory_url, apex_name = excluded.apex_name, rank = excluded.rank, released_at = null
      where p.released_at is not null
        or (p.directory_url, p.apex_name, p.rank) <> (excluded.directory_url, excluded.apex_name, excluded.rank)`.execute(
      tx,
    );
    await sql`
      insert into limited_domains as l (directory_url, apex_name, check_at)
      select o."directoryUrl", o."apexName", min(o.until) from ${recordset('o', parkedColumns, orders)}
      group by o."directoryUrl", o."apexName"
      on conflict (directory_url, apex_name) do nothing`.execute(tx);
  }

  /** Removes orders that are placed, or wait for something of their own. */
  async leave(tx: Tx, domainIds: readonly string[]): Promise<void> {
    if (domainIds.length === 0) return;
    await sql`delete from parked_orders where domain_id = any(${domainIds})`.execute(tx);
  }

  /** Registered domains whose limit is to be looked at. */
  async listDue(db: Database, limit: number): Promise<LimitedDomain[]> {
    return db
      .selectFrom('limited_domains')
      .select(['directory_url as directoryUrl', 'apex_name as apexName'])
      .where('check_at', '<=', sql<Date>`now()`)
      .orderBy('check_at')
      .limit(limit)
      .execute();
  }

  /** Whether it is still to be looked at; another replica may have been faster. */
  async isDue(tx: Tx, { directoryUrl, apexName }: LimitedDomain): Promise<boolean> {
    const found = await tx
      .selectFrom('limited_domains')
      .select('check_at')
      .where('directory_url', '=', directoryUrl)
      .where('apex_name', '=', apexName)
      .where('check_at', '<=', sql<Date>`now()`)
      .executeTakeFirst();
    return found !== undefined;
  }

  /** Released orders that are not placed yet. */
  async countReleased(tx: Tx, { directoryUrl, apexName }: LimitedDomain): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from parked_orders
      where directory_url = ${directoryUrl} and apex_name = ${apexName}
        and released_at > now() - make_interval(secs => ${RELEASE_LIFE_SECONDS})`.execute(tx);
    return rows[0]?.count ?? 0;
  }

  /** The next orders. Those whose schedule entry is being changed get their turn later. */
  async listNext(tx: Tx, { directoryUrl, apexName }: LimitedDomain, limit: number): Promise<NextOrder[]> {
    const { rows } = await sql<NextOrder>`
      select p.domain_id as "domainId", d.state, ${suspensionsOfDomain} as suspensions, w.due_at as "dueAt"
      from parked_orders p
      join domain_work w on w.domain_id = p.domain_id and w.kind = 'issuance'
      join domains d on d.id = p.domain_id
      where p.directory_url = ${directoryUrl} and p.apex_name = ${apexName} and p.released_at is null
      order by p.rank, p.position limit ${limit}
      for update of w skip locked`.execute(tx);
    return rows;
  }

  async release(tx: Tx, domainIds: readonly string[]): Promise<void> {
    if (domainIds.length === 0) return;
    await sql`update parked_orders set released_at = now() where domain_id = any(${domainIds})`.execute(tx);
  }

  async checkAgain(tx: Tx, { directoryUrl, apexName }: LimitedDomain, at: Date): Promise<void> {
    await tx
      .updateTable('limited_domains')
      .set({ check_at: at })
      .where('directory_url', '=', directoryUrl)
      .where('apex_name', '=', apexName)
      .execute();
  }

  /** Forgets a registered domain below which nothing waits. @returns whether that is so */
  async forgetEmpty(tx: Tx, { directoryUrl, apexName }: LimitedDomain): Promise<boolean> {
    const { numAffectedRows } = await sql`
      delete from limited_domains l where l.directory_url = ${directoryUrl} and l.apex_name = ${apexName}
        and not exists (select from parked_orders p where p.directory_url = l.directory_url
          and p.apex_name = l.apex_name and p.released_at is null)`.execute(tx);
    if (numAffectedRows !== 1n) return false;
    await sql`
      delete from parked_orders where directory_url = ${directoryUrl} and apex_name = ${apexName}
        and released_at < now() - make_interval(secs => ${RELEASE_LIFE_SECONDS})`.execute(tx);
    return true;
  }
}

const parkedColumns = {
  domainId: 'uuid',
  directoryUrl: 'text',
  apexName: 'text',
  rank: 'integer',
  until: 'timestamptz',
} as const;
