import { Inject, Injectable } from '@nestjs/common';
import { webhookJobs, type DomainEvents, type WebhookAttemptId, type WebhookDeliveryState } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { sql, type RawBuilder } from 'kysely';
import { DATABASE } from '../../platform/providers.js';
import { KEPT_ATTEMPTS } from './webhook-deliveries.repository.js';
import { signingSecrets, type SealedSecret } from './webhook-secrets.repository.js';

/** A due delivery under a lease, with everything that its job contains. */
export interface ClaimedDelivery extends WebhookAttemptId {
  readonly endpointId: string;
  readonly leaseUntil: Date;
  readonly url: string;
  readonly body: string;
  /** The newest first. */
  readonly secrets: readonly SealedSecret[];
}

/** The state of a delivery that decides on its next attempt. */
export interface DeliveryFacts {
  readonly endpointId: string;
  readonly state: WebhookDeliveryState;
  readonly attempt: number;
  readonly failures: number;
  readonly failingSince: Date | null;
}

/** Concurrent requests to one endpoint: the most that a slow one takes of the worker. */
const MAX_RUNNING_PER_ENDPOINT = 8;

/**
 * Events of one resource are sent in order: a delivery waits for earlier ones until they have failed this often. A failure
 * of seconds keeps the order; a delivery that is refused for days blocks nothing.
 */
const FAILURES_BEFORE_OVERTAKEN = 2;

const { leaseMs } = webhookJobs['deliver-webhook'];

/**
 * Finds endpoints with pending deliveries one by one along the index, so that a backlog of one costs the others nothing.
 * A slow endpoint gets no more than its share.
 */
function claimDueStatement(limit: number): RawBuilder<ClaimedDelivery> {
  return sql<ClaimedDelivery>`
  with recursive waiting as (
    (select endpoint_id from webhook_deliveries where state = 'pending' order by endpoint_id limit 1)
    union all
    select (
      select d.endpoint_id from webhook_deliveries d
      where d.state = 'pending' and d.endpoint_id > w.endpoint_id order by d.endpoint_id limit 1
    ) from waiting w where w.endpoint_id is not null
  ), due as (
    select d.id, w.endpoint_id
    from waiting w
    join webhook_endpoints e on e.id = w.endpoint_id and e.enabled
    cross join lateral (
      select count(*) as count from webhook_deliveries r
      where r.endpoint_id = e.id and r.state = 'pending' and r.lease_until > now()
    ) running
    cross join lateral (
      select d.id from webhook_deliveries d
      where d.endpoint_id = e.id and d.state = 'pending' and d.due_at <= now() and not exists (
        select from webhook_deliveries p
        where p.endpoint_id = d.endpoint_id and p.subject_id = d.subject_id and p.number < d.number
          and p.state = 'pending' and p.failures < ${FAILURES_BEFORE_OVERTAKEN}
      )
      order by d.due_at, d.number limit greatest(${MAX_RUNNING_PER_ENDPOINT} - running.count, 0)
      for update skip locked
    ) d
    limit ${limit}
  )
  update webhook_deliveries d
  set attempt = d.attempt + 1, lease_until = l.until, due_at = l.until
  from due join webhook_endpoints e on e.id = due.endpoint_id,
    (select now() + make_interval(secs => ${leaseMs / 1000}::float8) as until) l
  where d.id = due.id
  returning d.id as "deliveryId", d.endpoint_id as "endpointId", d.attempt, d.lease_until as "leaseUntil", e.url, d.body,
    ${signingSecrets} as secrets`;
}

/** The schedule of deliveries. A row is schedule entry and outbox, as in `domain_work`. */
@Injectable()
export class WebhookWorkRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /**
   * Leases due deliveries, each with a new attempt number. Dispatchers never get the same row (`skip locked`). A lease is a
   * due time: when it expires, the row is leased again, so lost jobs are dispatched again.
   */
  async claimDue(limit: number): Promise<ClaimedDelivery[]> {
    return (await claimDueStatement(limit).execute(this.db)).rows;
  }

  /** Makes deliveries that could not be dispatched due again soon. */
  async release(claims: readonly WebhookAttemptId[], afterSeconds: number): Promise<void> {
    if (claims.length === 0) return;
    await sql`
      update webhook_deliveries d
      set lease_until = null, due_at = now() + make_interval(secs => ${afterSeconds})
      from unnest(
        ${claims.map(({ deliveryId }) => deliveryId)}::uuid[], ${claims.map(({ attempt }) => attempt)}::integer[]
      ) as c (id, attempt)
      where d.id = c.id and d.attempt = c.attempt and d.state = 'pending'`.execute(this.db);
  }

  /** Locks a delivery's endpoint, then the delivery, which is the lock order; null when either is gone. */
  async lock(tx: Tx, deliveryId: string): Promise<DeliveryFacts | null> {
    const { rows: endpoints } = await sql<{ failingSince: Date | null }>`
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
      .set({ failing_since: null })
      .where('id', '=', endpointId)
      .where('failing_since', 'is not', null)
      .execute();
  }

  /** A delivery that has ended stays so. @param failure `dueAt` is the time of the next attempt; null for none */
  async markFailed(
    tx: Tx,
    deliveryId: string,
    { endpointId }: DeliveryFacts,
    failure: { readonly dueAt: Date | null; readonly at: Date },
  ): Promise<void> {
    await sql`
      update webhook_deliveries set failures = failures + 1, lease_until = null,
        due_at = case state when 'pending' then ${failure.dueAt}::timestamptz end,
        state = case when ${failure.dueAt}::timestamptz is null then 'failed' else state end
      where id = ${deliveryId}`.execute(tx);
    await tx
      .updateTable('webhook_endpoints')
      .set({ failing_since: failure.at })
      .where('id', '=', endpointId)
      .where('failing_since', 'is', null)
      .execute();
  }
}

function jsonOf(headers: Readonly<Record<string, string>> | null | undefined) {
  return headers ? sql<Readonly<Record<string, string>>>`${JSON.stringify(headers)}::jsonb` : null;
}
