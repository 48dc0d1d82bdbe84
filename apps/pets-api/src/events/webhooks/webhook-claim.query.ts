import { webhookJobs, type WebhookAttemptId } from '@pets/contracts';
import { sql, type RawBuilder } from 'kysely';
import { MAX_PER_ENDPOINT, type DueDelivery } from './assign-slots.js';
import { signingSecrets, type SealedSecret } from './sign-webhook.js';

/** A due delivery under a lease, with everything that its job contains. */
export interface ClaimedDelivery extends WebhookAttemptId {
  readonly endpointId: string;
  readonly leaseUntil: Date;
  readonly url: string;
  readonly body: string;
  /** The newest first. */
  readonly secrets: readonly SealedSecret[];
}

/**
 * Events of one resource are sent in order: a delivery waits for earlier ones until they have failed this often. A failure
 * of seconds keeps the order; a delivery that is refused for days blocks nothing.
 */
const FAILURES_BEFORE_OVERTAKEN = 2;

/** Due deliveries of an endpoint that are looked at: most of a backlog may wait for earlier ones of the same resource. */
const MAX_LOOKED_AT = 256;

/** Attempts without an answer in time, one after the other, that make an endpoint slow. A delivery ends that. */
export const SLOW_AFTER_TIMEOUTS = 3;

const { leaseMs } = webhookJobs['deliver-webhook'];

/**
 * Due deliveries that may be sent. Finds endpoints with pending deliveries one by one along the index, each with its first
 * due time, so that a backlog of one costs the others nothing, and one that waits for a retry costs one jump.
 */
export function findDueStatement(full: readonly { readonly organizationId: string; readonly isSlow: boolean }[]) {
  return sql<Omit<DueDelivery, 'receiver'> & { readonly url: string }>`
  with recursive waiting as (
    (select endpoint_id, due_at from webhook_deliveries where state = 'pending' order by endpoint_id, due_at limit 1)
    union all
    select next.endpoint_id, next.due_at from waiting w cross join lateral (
      select d.endpoint_id, d.due_at from webhook_deliveries d
      where d.state = 'pending' and d.endpoint_id > w.endpoint_id order by d.endpoint_id, d.due_at limit 1
    ) next
  ), running as (
    select endpoint_id, count(*) from webhook_slots where lease_until > now() group by endpoint_id
  ), open as materialized (
    select e.id, e.organization_id, e.url, e.timeouts >= ${SLOW_AFTER_TIMEOUTS} as is_slow, coalesce(r.count, 0) as running
    from waiting w join webhook_endpoints e on e.id = w.endpoint_id and e.enabled left join running r on r.endpoint_id = e.id
    where w.due_at <= now()
  )
  select d.id as "deliveryId", d.due_at as "dueAt", o.id as "endpointId", o.organization_id as "organizationId", o.url,
    o.is_slow as "isSlow"
  from open o
  cross join lateral (
    select d.id, d.due_at from (
      select d.id, d.due_at, d.number, d.subject_id from webhook_deliveries d
      where d.endpoint_id = o.id and d.state = 'pending' and d.due_at <= now()
      order by d.due_at limit ${MAX_LOOKED_AT}
    ) d
    where not exists (
      select from webhook_deliveries p
      where p.endpoint_id = o.id and p.subject_id = d.subject_id and p.number < d.number
        and p.state = 'pending' and p.failures < ${FAILURES_BEFORE_OVERTAKEN}
    )
    order by d.due_at, d.number limit greatest(${MAX_PER_ENDPOINT} - o.running, 0)
  ) d
  where (o.organization_id, o.is_slow) not in (
    select organization_id, is_slow from unnest(
      ${full.map(({ organizationId }) => organizationId)}::uuid[], ${full.map(({ isSlow }) => isSlow)}::boolean[]
    ) as f (organization_id, is_slow)
  )`;
}

/** Leases deliveries, and takes a slot for each. */
export function claimStatement(assigned: readonly DueDelivery[]): RawBuilder<ClaimedDelivery> {
  return sql<ClaimedDelivery>`
  with assigned as (
    select a.*, now() + make_interval(secs => ${leaseMs / 1000}::float8) as until from unnest(
      ${assigned.map(({ deliveryId }) => deliveryId)}::uuid[], ${assigned.map(({ receiver }) => receiver)}::text[],
      ${assigned.map(({ isSlow }) => isSlow)}::boolean[]
    ) as a (id, receiver, is_slow)
  ), due as (
    select d.id from webhook_deliveries d
    where d.id in (select id from assigned) and d.state = 'pending' and d.due_at <= now() for update skip locked
  ), claimed as (
    update webhook_deliveries d set attempt = d.attempt + 1, lease_until = a.until, due_at = a.until
    from due join assigned a using (id) join webhook_deliveries f using (id) join webhook_endpoints e on e.id = f.endpoint_id
    where d.id = due.id
    returning d.id, d.endpoint_id, d.attempt, d.lease_until, d.body, e.url, e.organization_id, a.receiver, a.is_slow
  ), taken as (
    insert into webhook_slots (delivery_id, attempt, organization_id, endpoint_id, receiver, is_slow, lease_until)
    select id, attempt, organization_id, endpoint_id, receiver, is_slow, lease_until from claimed
  )
  select d.id as "deliveryId", d.endpoint_id as "endpointId", d.attempt, d.lease_until as "leaseUntil", d.url, d.body,
    ${signingSecrets} as secrets
  from claimed d join webhook_endpoints e on e.id = d.endpoint_id`;
}
