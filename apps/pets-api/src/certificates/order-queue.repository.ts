import { Injectable } from '@nestjs/common';
import type { DomainState } from '@pets/contracts';
import type { AdmittedOrders, OrderRank, QueueState, Suspension } from '@pets/domains';
import { recordset, type Database, type Tx } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import { suspensionsOfDomain } from '../access/suspensions/suspensions.repository.js';
import { planShare } from '../access/limits/limits.service.js';
import type { LimitedDomain } from './limited-domains.repository.js';

/** The line of the CA itself; that of a registered domain has its name. */
export const CA_LINE = '';

/** A line of orders at a CA. */
export interface OrderLine {
  readonly directoryUrl: string;
  readonly line: string;
}

/** An order that joins a line. */
export interface QueuedOrder extends OrderLine {
  readonly domainId: string;
  readonly organizationId: string;
  readonly apexName: string;
  readonly rank: OrderRank;
  /** Whether the CA counts it towards the limit of its registered domain. */
  readonly isNew: boolean;
}

/** The next order of a line, with what says whether it can still be placed. */
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

const isSlotFresh = sql`q.slot_given_at > now() - make_interval(secs => ${SLOT_LIFE_SECONDS})`;

/** Orders for which a registered domain keeps room: in the line of the CA, or with a slot. */
const isAdmitted = sql`q.line = ${sql.lit(CA_LINE)} and q.is_new and (q.slot_given_at is null or ${isSlotFresh})`;

/**
 * The queue of orders (`queued_orders`). An order waits in the line of its registered domain while that is at a limit of the
 * CA, and then in the line of the CA for a slot (`slot_given_at`), until it is reserved. So what is in the line of the CA needs
 * nothing but a slot. While it waits, its `domain_work` row is not due, however long the line is. Writers hold the lock of the
 * directory (`CertificateAttemptsRepository.lock`).
 */
@Injectable()
export class OrderQueueRepository {
  /** The state of the line of a CA. */
  async readState(db: Database, directoryUrl: string, domainIds: readonly string[]): Promise<QueueState> {
    const { rows } = await sql<Omit<QueueState, 'givenTo'> & { readonly givenTo: readonly string[] }>`
      select count(*)::integer as given, coalesce(array_agg(q.domain_id) filter (where q.domain_id = any(${domainIds})), '{}')
        as "givenTo", (select count(*) from (
          select 1 from queued_orders w
          where w.directory_url = ${directoryUrl} and w.line = ${CA_LINE} and w.slot_given_at is null limit ${MAX_COUNTED}
        ) waiting)::integer as waiting
      from queued_orders q where q.directory_url = ${directoryUrl} and ${isSlotFresh}`.execute(db);
    const { given = 0, givenTo = [], waiting = 0 } = rows[0] ?? {};
    return { given, givenTo: new Set(givenTo), waiting };
  }

  /** Admitted orders below some registered domains, by `<directory> <registered domain>`. */
  async findAdmitted(
    db: Database,
    directoryUrls: readonly string[],
    apexNames: readonly string[],
    domainIds: readonly string[],
  ): Promise<Map<string, AdmittedOrders>> {
    if (directoryUrls.length === 0) return new Map();
    const { rows } = await sql<LimitedDomain & { readonly count: number; readonly own: readonly string[] }>`
      select q.directory_url as "directoryUrl", q.apex_name as "apexName", count(*)::integer as count,
        coalesce(array_agg(q.domain_id) filter (where q.domain_id = any(${domainIds})), '{}') as own
      from queued_orders q
      where q.directory_url = any(${directoryUrls}) and q.apex_name = any(${apexNames}) and ${isAdmitted}
      group by q.directory_url, q.apex_name`.execute(db);
    return new Map(
      rows.map(({ directoryUrl, apexName, count, own }) => [
        `${directoryUrl} ${apexName}`,
        { count, own: new Set(own) },
      ]),
    );
  }

  /** Appends orders to their lines. Orders that wait already keep their place, unless they change the line. */
  async join(tx: Tx, orders: readonly QueuedOrder[]): Promise<void> {
    if (orders.length === 0) return;
    const numbered = orders.map((order, ordinal) => ({ ...order, ordinal }));
    await joinStatement(recordset('o', queuedColumns, numbered)).execute(tx);
  }

  /** Moves orders from the line of their registered domain to that of the CA, in their order. */
  async admit(tx: Tx, domainIds: readonly string[]): Promise<void> {
    if (domainIds.length === 0) return;
    await joinStatement(sql`(
      select q.domain_id as "domainId", q.organization_id as "organizationId", q.directory_url as "directoryUrl",
        q.apex_name as "apexName", ${CA_LINE}::text as line, q.rank, q.is_new as "isNew",
        row_number() over (order by q.rank, q.virtual_time, q.position) as ordinal
      from queued_orders q where q.domain_id = any(${domainIds})
    ) o`).execute(tx);
  }

  /** Removes orders that are reserved, or wait for a time of their own. */
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
  async forgetUnused(tx: Tx, directoryUrl: string): Promise<void> {
    await sql`
      delete from queued_orders where directory_url = ${directoryUrl}
        and slot_given_at < now() - make_interval(secs => ${FORGET_SECONDS})`.execute(tx);
  }

  /** The first orders of a line. Those whose schedule entry is being changed get their turn in the next round. */
  async listNext(tx: Tx, line: OrderLine, limit: number): Promise<NextOrder[]> {
    return (await nextOrdersStatement(line, limit).execute(tx)).rows;
  }

  /** The directories of CAs in whose own line orders wait. */
  async listDirectories(db: Database): Promise<string[]> {
    const { rows } = await sql<{ directoryUrl: string }>`
      with recursive directories as (
        (select directory_url from queued_orders where slot_given_at is null order by directory_url limit 1)
        union all
        select next.* from directories d cross join lateral (
          select q.directory_url from queued_orders q
          where q.slot_given_at is null and q.directory_url > d.directory_url order by q.directory_url limit 1
        ) next
      )
      select directory_url as "directoryUrl" from directories d where exists (
        select from queued_orders q
        where q.directory_url = d.directory_url and q.line = ${CA_LINE} and q.slot_given_at is null
      )`.execute(db);
    return rows.map(({ directoryUrl }) => directoryUrl);
  }

  /** The CAs in whose line some domains wait, with the number of orders before each; null beyond `MAX_COUNTED`. */
  async findPlaces(db: Database, domainIds: readonly string[]): Promise<QueuePlace[]> {
    if (domainIds.length === 0) return [];
    const { rows } = await sql<QueuePlace>`
      with own as materialized (
        select domain_id, directory_url from queued_orders
        where domain_id = any(${domainIds}) and line = ${CA_LINE} and slot_given_at is null
      )
      select own.domain_id as "domainId", own.directory_url as "directoryUrl", line.before::integer as before
      from own left join (
        select l.domain_id, l.before from (select distinct directory_url from own) d cross join lateral (
          select q.domain_id, row_number() over (order by q.rank, q.virtual_time, q.position) - 1 as before
          from queued_orders q
          where q.directory_url = d.directory_url and q.line = ${CA_LINE} and q.slot_given_at is null
          order by q.rank, q.virtual_time, q.position limit ${MAX_COUNTED}
        ) l
      ) line using (domain_id)`.execute(db);
    return rows;
  }
}

export interface QueuePlace {
  readonly directoryUrl: string;
  readonly domainId: string;
  readonly before: number | null;
}

const queuedColumns = {
  domainId: 'uuid',
  organizationId: 'uuid',
  directoryUrl: 'text',
  line: 'text',
  apexName: 'text',
  rank: 'integer',
  isNew: 'boolean',
  ordinal: 'integer',
} as const;

/** Gives orders their virtual times: after those of their organization in the line, and not before the first of the line. */
function joinStatement(orders: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    insert into queued_orders as q
      (domain_id, organization_id, directory_url, line, apex_name, rank, is_new, virtual_time)
    select o."domainId", o."organizationId", o."directoryUrl", o.line, o."apexName", o.rank, o."isNew",
      greatest(own.virtual_time + share.step, first.virtual_time, 0) + share.step * (row_number() over (
        partition by o."directoryUrl", o.line, o.rank, o."organizationId" order by o.ordinal) - 1)
    from ${orders}
    join organizations on organizations.id = o."organizationId"
    cross join lateral (select 1::float8 / ${planShare(sql`organizations.plan`)} as step) share
    left join lateral (
      select virtual_time from queued_orders w
      where w.directory_url = o."directoryUrl" and w.line = o.line and w.rank = o.rank
        and w.organization_id = o."organizationId" and w.slot_given_at is null
      order by virtual_time desc limit 1
    ) own on true
    left join lateral (
      select virtual_time from queued_orders w
      where w.directory_url = o."directoryUrl" and w.line = o.line and w.rank = o.rank and w.slot_given_at is null
      order by virtual_time, position limit 1
    ) first on true
    on conflict (domain_id) do update
    set directory_url = excluded.directory_url, line = excluded.line, apex_name = excluded.apex_name,
      rank = excluded.rank, is_new = excluded.is_new, slot_given_at = null,
      virtual_time = case when (q.directory_url, q.line, q.rank) =
        (excluded.directory_url, excluded.line, excluded.rank) then q.virtual_time else excluded.virtual_time end
    where q.slot_given_at is not null or (q.directory_url, q.line, q.rank, q.is_new) <>
      (excluded.directory_url, excluded.line, excluded.rank, excluded.is_new)`;
}

/** Reads the first rows of an index, however long the line is; a test checks its plan. */
export function nextOrdersStatement({ directoryUrl, line }: OrderLine, limit: number): RawBuilder<NextOrder> {
  return sql<NextOrder>`
    select q.domain_id as "domainId", d.state, ${suspensionsOfDomain} as suspensions, w.due_at as "dueAt"
    from queued_orders q
    join domain_work w on w.domain_id = q.domain_id and w.kind = 'issuance'
    join domains d on d.id = q.domain_id
    where q.directory_url = ${directoryUrl} and q.line = ${line} and q.slot_given_at is null
    order by q.rank, q.virtual_time, q.position limit ${limit}
    for update of w skip locked`;
}
