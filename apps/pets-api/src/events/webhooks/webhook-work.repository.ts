import { Inject, Injectable } from '@nestjs/common';
import { webhookJobs, type DomainEvents, type WebhookAttemptId, type WebhookDeliveryState } from '@pets/contracts';
import { notify, type Database, type Tx } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import {
  assignSlots,
  MAX_PER_ENDPOINT,
  SlotUse,
  type DueDelivery,
  type Slot,
  type SlotLimits,
} from './assign-slots.js';
import { signingSecrets, type SealedSecret } from './sign-webhook.js';
import { KEPT_ATTEMPTS } from './webhook-deliveries.repository.js';

/** The state of a delivery that decides on its next attempt. */
export interface DeliveryFacts {
  readonly endpointId: string;
  readonly state: WebhookDeliveryState;
  readonly attempt: number;
  readonly failures: number;
  readonly failingSince: Date | null;
}

/** An arbitrary advisory lock: one claim at a time, so that it knows every slot that is taken. */
const CLAIM_LOCK = 7_146_230_915;

/** The schedule of deliveries. A row is schedule entry and outbox, as in `domain_work`. */
@Injectable()
export class WebhookWorkRepository {
  /** Whether the last claim of this process may have left due deliveries for want of slots. */
  private isHeldBack = false;

  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /**
   * Leases due deliveries that get a slot, each with a new attempt number. A lease is a due time: when it expires, the row
   * is leased again, so lost jobs are dispatched again. So does its slot.
   */
  async claimDue(limit: number, limits: SlotLimits): Promise<ClaimedDelivery[]> {
    return this.db.transaction().execute(async (tx) => {
      // A statement of its own: the next one sees what the claim before has taken.
      await sql`select pg_advisory_xact_lock(${CLAIM_LOCK})`.execute(tx);
      const taken = await this.takenSlots(tx);
      const use = new SlotUse(taken, limits);
      const full = taken.filter((slot) => use.hasShare(slot));
      const { rows } = await findDueStatement(full).execute(tx);
      const due = rows.map(({ url, ...row }) => ({ ...row, receiver: new URL(url).origin }));
      const assigned = assignSlots(due, use, limit);
      this.isHeldBack =
        full.length > 0 ||
        assigned.length < due.length ||
        [...taken, ...assigned].some((slot) => use.countEndpoint(slot) >= MAX_PER_ENDPOINT);
      return assigned.length === 0 ? [] : (await claimStatement(assigned).execute(tx)).rows;
    });
  }

  /** Forgets the slots whose leases have ended. */
  private async takenSlots(tx: Tx): Promise<readonly Slot[]> {
    await sql`delete from webhook_slots where lease_until <= now()`.execute(tx);
    return tx
      .selectFrom('webhook_slots')
      .select(['organization_id as organizationId', 'endpoint_id as endpointId', 'receiver', 'is_slow as isSlow'])
      .execute();
  }

  /** Makes deliveries that could not be dispatched due again soon. */
  async release(claims: readonly WebhookAttemptId[], afterSeconds: number): Promise<void> {
    if (claims.length === 0) return;
    // The queue may have the jobs after all; then their slots are free too early.
    await sql`
      with claims as (
        select * from unnest(
          ${claims.map(({ deliveryId }) => deliveryId)}::uuid[], ${claims.map(({ attempt }) => attempt)}::integer[]
        ) as c (id, attempt)
      ), freed as (
        delete from webhook_slots s using claims c where s.delivery_id = c.id and s.attempt = c.attempt
      )
      update webhook_deliveries d
      set lease_until = null, due_at = now() + make_interval(secs => ${afterSeconds})
      from claims c
      where d.id = c.id and d.attempt = c.attempt and d.state = 'pending'`.execute(this.db);
  }

  /**
   * Gives back the slot of an attempt, whatever became of its delivery. Locks the endpoint, then the delivery, which is the
   * lock order; null when either is gone.
   */
  async lock(tx: Tx, { deliveryId, attempt }: WebhookAttemptId): Promise<DeliveryFacts | null> {
    if (this.isHeldBack) await notify(tx, 'webhook_deliveries');
    const { rows: endpoints } = await sql<{ failingSince: Date | null }>`
      with freed as (delete from webhook_slots where delivery_id = ${deliveryId} and attempt = ${attempt})
      select failing_since as "failingSince" from webhook_endpoints
      where id = (select endpoint_id from webhook_deliveries where id = ${deliveryId}) for no key update`.execute(tx);
    const [endpoint] = endpoints;
    if (endpoint === undefined) return null;
    const row = await tx
      .selectFrom('webhook_deliveries')
      .select(['endpoint_id as endpointId', 'state', 'attempt', 'failures'])
      .where('id', '=', deliveryId)
      .forUpdate()
      .executeTakeFirst();
    return row === undefined ? null : { ...row, ...endpoint };
  }

  /** Stores the result of an attempt, and deletes those that are no longer shown. @returns whether it is new */
  async recordAttempt(tx: Tx, attempt: DomainEvents['webhook.attempted'], error: string | null): Promise<boolean> {
    const { numInsertedOrUpdatedRows = 0n } = await tx
      .insertInto('webhook_attempts')
      .values({
        delivery_id: attempt.deliveryId,
        number: attempt.attempt,
        at: new Date(attempt.at),
        status: attempt.status,
        duration_ms: attempt.durationMs,
        error,
        body_start: attempt.bodyStart,
        request_headers: jsonOf(attempt.requestHeaders),
        response_headers: jsonOf(attempt.responseHeaders),
      })
      .onConflict((conflict) => conflict.columns(['delivery_id', 'number']).doNothing())
      .executeTakeFirst();
    if (attempt.attempt > KEPT_ATTEMPTS)
      await tx
        .deleteFrom('webhook_attempts')
        .where('delivery_id', '=', attempt.deliveryId)
        .where('number', '<=', attempt.attempt - KEPT_ATTEMPTS)
        .execute();
    return numInsertedOrUpdatedRows > 0n;
  }

  async markDelivered(tx: Tx, deliveryId: string, { endpointId }: DeliveryFacts, now: Date): Promise<void> {
    await tx
      .updateTable('webhook_deliveries')
      .set({ state: 'delivered', delivered_at: now, due_at: null, lease_until: null, failures: 0 })
      .where('id', '=', deliveryId)
      .execute();
    await tx
      .updateTable('webhook_endpoints')
      .set({ failing_since: null, timeouts: 0 })
      .where('id', '=', endpointId)
      .where((eb) => eb.or([eb('failing_since', 'is not', null), eb('timeouts', '>', 0)]))
      .execute();
  }

  /** A delivery that has ended stays so. @param failure `dueAt` is the time of the next attempt; null for none */
  async markFailed(
    tx: Tx,
    deliveryId: string,
    { endpointId }: DeliveryFacts,
    failure: { readonly dueAt: Date | null; readonly at: Date; readonly isTimeout: boolean },
  ): Promise<void> {
    await sql`
      update webhook_deliveries set failures = failures + 1, lease_until = null,
        due_at = case state when 'pending' then ${failure.dueAt}::timestamptz end,
        state = case when ${failure.dueAt}::timestamptz is null then 'failed' else state end
      where id = ${deliveryId}`.execute(tx);
    await sql`
      update webhook_endpoints set failing_since = coalesce(failing_since, ${failure.at}::timestamptz),
        timeouts = least(timeouts + ${failure.isTimeout ? 1 : 0}, ${SLOW_AFTER_TIMEOUTS})
      where id = ${endpointId}
        and (failing_since is null or (${failure.isTimeout} and timeouts < ${SLOW_AFTER_TIMEOUTS}))`.execute(tx);
  }
}

function jsonOf(headers: Readonly<Record<string, string>> | null | undefined) {
  return headers ? sql<Readonly<Record<string, string>>>`${JSON.stringify(headers)}::jsonb` : null;
}

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
const SLOW_AFTER_TIMEOUTS = 3;

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
