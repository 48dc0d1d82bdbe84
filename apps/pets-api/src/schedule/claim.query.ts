import { domainJobs, type Attempt, type DomainState } from '@pets/contracts';
import { workKinds, type ReadyQueue, type Share, type Suspension, type WorkKind, type WorkQueue } from '@pets/domains';
import { recordset } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import { suspensionsOfDomain } from '../access/suspensions/suspensions.repository.js';
import { hasOpenOrder } from '../names/domain-row.js';
import { counterpartOf, hasOtherClaims, wildcardTargetToken, wwwTargetToken } from '../names/related-names.js';
import { planShare } from '../access/limits/limits.service.js';

/** A due row under a lease, with everything that its job contains. */
export interface ClaimedWork extends Attempt {
  readonly kind: WorkKind;
  readonly leaseUntil: Date;
  /** How long it had been due. */
  readonly lateSeconds: number;
  readonly organizationId: string;
  readonly name: string;
  readonly apexName: string;
  readonly zone: string | null;
  readonly targetToken: string;
  readonly state: DomainState;
  readonly hasOtherClaims: boolean;
  readonly wwwTargetToken: string | null;
  readonly wildcardTargetToken: string | null;
  /** Whether the wildcard of the name, or the base of the wildcard, has the same delegation token. */
  readonly sharesDelegation: boolean;
  readonly ownershipToken: string;
  readonly delegationToken: string;
  readonly delegatedAt: Date | null;
  readonly preparedAt: Date | null;
  readonly elsewhereSince: Date | null;
  readonly suspensions: readonly Suspension[];
  /** Whether a CA has an order of the domain that is not finished; only of issuances. */
  readonly hasOpenOrder: boolean;
  /** The trace that made it due, where traces are recorded. */
  readonly traceParent: string | null;
}

export interface ClaimedRow extends ClaimedWork {
  /** Index of the share that it is part of. */
  readonly share: number;
  readonly readyAt: Date;
}

const leaseOfKind = sql.join(
  Object.entries(workKinds).map(([kind, job]) => sql`when ${kind} then ${domainJobs[job].leaseMs / 1000}::float8`),
  sql` `,
);

/** The expression of the index `domain_work_ready`. */
export const readyAt = sql`greatest(w.due_at, w.lease_until)`;
const isOfQueue = sql`w.kind = s.kind and w.priority = s.priority and w.organization_id = s."organizationId"
  and w.due_at is not null`;

/**
 * Reads only the rows that it leases, however many are due and however many were done before; a test checks its plan. The limits
 * are constants for the planner: it expects 100 rows of any function and a tenth of a queue, and would read all of a small table.
 */
export function claimStatement(shares: readonly Share[]): RawBuilder<ClaimedRow> {
  const given = shares.map(({ queue, from, limit }, share) => ({ ...queue, share, from, limit }));
  const limit = shares.reduce((sum, share) => sum + share.limit, 0);
  const due = sql`
    select w.domain_id, w.kind, w."readyAt", s.share
    from (select * from ${recordset('s', shareColumns, given)} limit ${sql.lit(shares.length)}) s cross join lateral (
      select w.domain_id, w.kind, ${readyAt} as "readyAt" from domain_work w
      where ${isOfQueue} and ${readyAt} >= s."from" and ${readyAt} <= now()
      order by ${readyAt} limit s."limit" for update skip locked
    ) w`;
  return sql<ClaimedRow>`
  with due as (${due})
  update domain_work w
  set attempt = w.attempt + 1, claimed_at = now(),
    lease_until = now() + make_interval(secs => case w.kind ${leaseOfKind} end)
  from (select * from due limit ${roundedLimit(limit)}) due join domains d on d.id = due.domain_id join domain_claims c using (organization_id, name)
  where w.domain_id = due.domain_id and w.kind = due.kind
  returning w.domain_id as "domainId", w.kind, w.attempt, w.lease_until as "leaseUntil", d.generation,
    extract(epoch from now() - w.due_at)::float8 as "lateSeconds", d.organization_id as "organizationId", d.name,
    d.apex_name as "apexName", d.zone, c.target_token as "targetToken", c.ownership_token as "ownershipToken",
    d.delegation_token as "delegationToken", d.delegated_at as "delegatedAt", d.prepared_at as "preparedAt",
    d.elsewhere_since as "elsewhereSince", d.state,
    ${hasOtherClaims} as "hasOtherClaims", ${wwwTargetToken} as "wwwTargetToken",
    ${wildcardTargetToken} as "wildcardTargetToken", exists (
      select from domains k where k.organization_id = d.organization_id and k.name = ${counterpartOf(sql`d.name`)}
        and k.state <> 'removed'
    ) as "sharesDelegation",
    w.kind = 'issuance' and ${hasOpenOrder} as "hasOpenOrder",
    ${suspensionsOfDomain} as suspensions, w.traceparent as "traceParent", due."readyAt", due.share`;
}

/** One of few numbers, since each is a statement of its own. */
function roundedLimit(limit: number): RawBuilder<unknown> {
  return sql.lit(16 * 8 ** Math.max(Math.ceil(Math.log(limit / 16) / Math.log(8)), 0));
}

/** When the next rows of queues are ready that have no more ready ones; null without a row. */
export function nextReadyStatement(
  queues: readonly (WorkQueue & { readonly share: number })[],
): RawBuilder<{ readonly share: number; readonly readyAt: Date | null }> {
  return sql`
    select s.share, (
      select ${readyAt} from domain_work w where ${isOfQueue} and ${readyAt} > now() order by ${readyAt} limit 1
    ) as "readyAt"
    from ${recordset('s', queueColumns, queues)}`;
}

/** A place in the order of the queues of a kind. */
export type QueuePosition = Pick<WorkQueue, 'organizationId'> & { readonly priority: number };
export const firstPosition: QueuePosition = { priority: -1, organizationId: '00000000-0000-0000-0000-000000000000' };

/** The next queues of a kind, and when each is ready: one jump in the index for each, however many rows it has. */
export function discoverStatement(
  kind: WorkKind,
  { priority, organizationId }: QueuePosition,
  limit: number,
): RawBuilder<ReadyQueue> {
  const firstAfter = (position: RawBuilder<unknown>) => sql`
    select w.priority, w.organization_id, ${readyAt} as ready_at from domain_work w
    where w.due_at is not null and w.kind = ${kind} and (w.priority, w.organization_id) > ${position}
    order by w.priority, w.organization_id, ${readyAt} limit 1`;
  return sql<ReadyQueue>`
    with recursive queue as (
      (${firstAfter(sql`(${priority}::smallint, ${organizationId}::uuid)`)})
      union all
      select next.* from queue q cross join lateral (${firstAfter(sql`(q.priority, q.organization_id)`)}) next
    )
    select ${kind} as kind, q.priority, q.organization_id as "organizationId", q.ready_at as "readyAt",
      ${planShare(sql`o.plan`)} as weight
    from (select * from queue limit ${limit}) q join organizations o on o.id = q.organization_id
    order by q.priority, q.organization_id`;
}

/** The queue of a changed row, for `returning`. */
export const readyQueue = sql`w.kind, w.priority, w.organization_id as "organizationId",
  case when w.due_at is not null then ${readyAt} end as "readyAt"`;

const queueColumns = {
  share: 'integer',
  kind: 'text',
  priority: 'integer',
  organizationId: 'uuid',
} as const;

const shareColumns = { ...queueColumns, from: 'timestamptz', limit: 'integer' } as const;
