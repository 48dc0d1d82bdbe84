import { Injectable } from '@nestjs/common';
import type { DomainState } from '@pets/contracts';
import type { CaAccountRef, OrderRank, QueueState, Suspension } from '@pets/domains';
import { recordset, type Database, type Tx } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import { suspensionsOfDomain } from '../access/suspensions/suspensions.repository.js';
import { planShare } from '../names/plan-share.js';

/** An order that waits for a slot of an account. */
export interface QueuedOrder extends CaAccountRef {
  readonly domainId: string;
  readonly organizationId: string;
  readonly rank: OrderRank;
}

/** The next order of a queue, with what says whether it can still be placed. */
export interface NextOrder {
  readonly domainId: string;
  readonly state: DomainState;
  readonly suspensions: readonly Suspension[];
  readonly dueAt: Date | null;
}

/** A place further back is "more than" this. Counting takes some milliseconds. */
export const MAX_COUNTED = 10_000;

/** A slot that was given and not used within this time goes to another order: three leases of an issuance. */
export const SLOT_LIFE_SECONDS = 180;

/** Slots whose order became obsolete, such as that of a removed domain, are forgotten after this. */
const FORGET_SECONDS = 24 * 60 * 60;

/**
 * The queues of orders, one for each account (`queued_orders`). A row waits, or has a slot (`slot_given_at`) until its order
 * is reserved. While it waits, its `domain_work` row is not due, however long the queue is. Writers hold the lock of the
 * directory (`CertificateAttemptsRepository.lock`).
 */
@Injectable()
export class OrderQueueRepository {
  async readState(
    db: Database,
    { directoryUrl, account }: CaAccountRef,
    domainIds: readonly string[],
  ): Promise<QueueState> {
    const { rows } = await sql<Omit<QueueState, 'givenTo'> & { readonly givenTo: readonly string[] }>`
      select count(*)::integer as given, coalesce(array_agg(q.domain_id) filter (where q.domain_id = any(${domainIds})), '{}')
        as "givenTo", (select count(*) from (
          select 1 from queued_orders w where w.directory_url = ${directoryUrl} and w.account = ${account} and w.slot_given_at is null
          limit ${MAX_COUNTED}
        ) waiting)::integer as waiting
      from queued_orders q
      where q.directory_url = ${directoryUrl} and q.account = ${account}
        and q.slot_given_at > now() - make_interval(secs => ${SLOT_LIFE_SECONDS})
      `.execute(db);
    const { given = 0, givenTo = [], waiting = 0 } = rows[0] ?? {};
    return { given, givenTo: new Set(givenTo), waiting };
  }

  /** Appends orders to the queues of their organizations. Orders that wait already keep their place. */
  async join(tx: Tx, orders: readonly QueuedOrder[]): Promise<void> {
    if (orders.length === 0) return;
    const numbered = orders.map((order, ordinal) => ({ ...order, ordinal }));
    await sql`
      insert into queued_orders as q (domain_id, organization_id, directory_url, account, rank, virtual_time)
      select o."domainId", o."organizationId", o."directoryUrl", o.account, o.rank,
        greatest(own.virtual_time + share.step, line.virtual_time, 0) + share.step * (row_number() over (
          partition by o."directoryUrl", o.account, o.rank, o."organizationId" order by o.ordinal) - 1)
      from ${recordset('o', queuedColumns, numbered)}
      join organizations on organizations.id = o."organizationId"
      cross join lateral (select 1::float8 / ${planShare(sql`organizations.plan`)} as step) share
      left join lateral (
        select virtual_time from queued_orders w
        where w.directory_url = o."directoryUrl" and w.account = o.account and w.rank = o.rank
          and w.organization_id = o."organizationId" and w.slot_given_at is null
        order by virtual_time desc limit 1
      ) own on true
      left join lateral (
        select virtual_time from queued_orders w
        where w.directory_url = o."directoryUrl" and w.account = o.account and w.rank = o.rank and w.slot_given_at is null
        order by virtual_time, position limit 1
      ) line on true
      on conflict (domain_id) do update
      set directory_url = excluded.directory_url, account = excluded.account, rank = excluded.rank, slot_given_at = null,
        virtual_time = case when (q.directory_url, q.account, q.rank) =
          (excluded.directory_url, excluded.account, excluded.rank) then q.virtual_time else excluded.virtual_time end
      where q.slot_given_at is not null
        or (q.directory_url, q.account, q.rank) <> (excluded.directory_url, excluded.account, excluded.rank)`.execute(
      tx,
    );
  }

  /** Removes orders that are reserved, or wait for something else. */
  async leave(tx: Tx, domainIds: readonly string[]): Promise<void> {
    if (domainIds.length === 0) return;
    await sql`delete from queued_orders where domain_id = any(${domainIds})`.execute(tx);
  }

  /** Marks orders that have a slot. */
  async giveSlots(tx: Tx, domainIds: readonly string[]): Promise<void> {
    if (domainIds.length === 0) return;
    await sql`update queued_orders set slot_given_at = now() where domain_id = any(${domainIds})`.execute(tx);
  }

  /** Forgets slots of orders that never came. */
  async forgetUnused(tx: Tx, { directoryUrl, account }: CaAccountRef): Promise<void> {
    await sql`
      delete from queued_orders where directory_url = ${directoryUrl} and account = ${account}
        and slot_given_at < now() - make_interval(secs => ${FORGET_SECONDS})`.execute(tx);
  }

  /** The first orders of a queue. Those whose schedule entry is being changed get their turn in the next round. */
  async listNext(tx: Tx, account: CaAccountRef, limit: number): Promise<NextOrder[]> {
    return (await nextOrdersStatement(account, limit).execute(tx)).rows;
  }

  /** Accounts with a queue. */
  async listAccounts(db: Database): Promise<CaAccountRef[]> {
    const { rows } = await sql<CaAccountRef>`
      with recursive accounts as (
        (select directory_url, account from queued_orders where slot_given_at is null
          order by directory_url, account limit 1)
        union all
        select next.* from accounts a cross join lateral (
          select q.directory_url, q.account from queued_orders q
          where q.slot_given_at is null and (q.directory_url, q.account) > (a.directory_url, a.account)
          order by q.directory_url, q.account limit 1
        ) next
      )
      select directory_url as "directoryUrl", account from accounts`.execute(db);
    return rows;
  }

  /** The accounts for which some domains wait, with the number of orders before each; null beyond `MAX_COUNTED`. */
  async findPlaces(db: Database, domainIds: readonly string[]): Promise<QueuePlace[]> {
    if (domainIds.length === 0) return [];
    const { rows } = await sql<QueuePlace>`
      with own as materialized (
        select domain_id, directory_url, account from queued_orders
        where domain_id = any(${domainIds}) and slot_given_at is null
      )
      select own.domain_id as "domainId", own.directory_url as "directoryUrl", own.account, line.before::integer as before
      from own left join (
        select l.domain_id, l.before from (select distinct directory_url, account from own) d cross join lateral (
          select q.domain_id, row_number() over (order by q.rank, q.virtual_time, q.position) - 1 as before
          from queued_orders q
          where q.directory_url = d.directory_url and q.account = d.account and q.slot_given_at is null
          order by q.rank, q.virtual_time, q.position limit ${MAX_COUNTED}
        ) l
      ) line using (domain_id)`.execute(db);
    return rows;
  }
}

export interface QueuePlace extends CaAccountRef {
  readonly domainId: string;
  readonly before: number | null;
}

const queuedColumns = {
  domainId: 'uuid',
  organizationId: 'uuid',
  directoryUrl: 'text',
  account: 'text',
  rank: 'integer',
  ordinal: 'integer',
} as const;

/** Reads the first rows of an index, however long the queue is; a test checks its plan. */
export function nextOrdersStatement({ directoryUrl, account }: CaAccountRef, limit: number): RawBuilder<NextOrder> {
  return sql<NextOrder>`
    select q.domain_id as "domainId", d.state, ${suspensionsOfDomain} as suspensions, w.due_at as "dueAt"
    from queued_orders q
    join domain_work w on w.domain_id = q.domain_id and w.kind = 'issuance'
    join domains d on d.id = q.domain_id
    where q.directory_url = ${directoryUrl} and q.account = ${account} and q.slot_given_at is null
    order by q.rank, q.virtual_time, q.position limit ${limit}
    for update of w skip locked`;
}
