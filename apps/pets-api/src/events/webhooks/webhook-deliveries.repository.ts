import { Inject, Injectable } from '@nestjs/common';
import {
  WEBHOOK_TEST_TYPE,
  type WebhookAttempt,
  type WebhookDeliveryState,
  type WebhookMessageType,
} from '@pets/contracts';
import { notify, type Database, type Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { sql, type RawBuilder } from 'kysely';
import { BEFORE_ALL, type PageBounds } from '../../http/paging/pages.js';
import { DATABASE } from '../../platform/providers.js';

export interface DeliveryRow {
  readonly id: string;
  readonly number: bigint;
  readonly endpointId: string;
  readonly type: WebhookMessageType;
  readonly subjectId: string;
  readonly sequence: number;
  readonly state: WebhookDeliveryState;
  readonly body: string;
  readonly createdAt: Date;
  readonly deliveredAt: Date | null;
  /** Also null during an attempt. */
  readonly dueAt: Date | null;
  /** The newest ones, in order. Times in PostgreSQL's JSON format. */
  readonly attempts: readonly WebhookAttempt[];
}

/** Each replay adds as many attempts as the schedule has. */
const SHOWN_ATTEMPTS = 20;

const selectDeliveries = sql`
  select d.id, d.number, d.endpoint_id as "endpointId", d.type, d.subject_id as "subjectId", d.sequence, d.state, d.body,
    d.created_at as "createdAt", d.delivered_at as "deliveredAt",
    case when d.lease_until > now() then null else d.due_at end as "dueAt",
    coalesce((
      select jsonb_agg(jsonb_build_object(
        'number', a.number, 'at', a.at, 'status', a.status, 'durationMs', a.duration_ms, 'error', a.error,
        'bodyStart', a.body_start
      ) order by a.number)
      from (
        select * from webhook_attempts a where a.delivery_id = d.id order by a.number desc limit ${SHOWN_ATTEMPTS}
      ) a
    ), '[]') as attempts
  from webhook_deliveries d`;

/** Deliveries of an endpoint as its owner sees them. The caller has checked that the endpoint is the owner's. */
@Injectable()
export class WebhookDeliveriesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Newest first, after the one with the number `afterId`. */
  async list(
    endpointId: string,
    { limit, afterId }: PageBounds,
    filter: { readonly state: WebhookDeliveryState | undefined },
  ): Promise<DeliveryRow[]> {
    return this.select(
      this.db,
      sql`where d.endpoint_id = ${endpointId}
        ${afterId === BEFORE_ALL ? sql`` : sql`and d.number < ${afterId}::bigint`}
        ${filter.state === undefined ? sql`` : sql`and d.state = ${filter.state}`}
      order by d.number desc limit ${limit}`,
    );
  }

  /** @throws RequestError `not_found` */
  async get(endpointId: string, id: string, db: Database = this.db): Promise<DeliveryRow> {
    const [row] = await this.select(db, sql`where d.id = ${id} and d.endpoint_id = ${endpointId}`);
    if (row === undefined) throw new RequestError('not_found', 'There is no such delivery.');
    return row;
  }

  /** Makes a delivery due again with all attempts. Does nothing during an attempt, whose result counts. */
  async replay(tx: Tx, id: string): Promise<void> {
    await sql`
      update webhook_deliveries set state = 'pending', failures = 0, delivered_at = null,
        due_at = greatest(now(), lease_until)
      where id = ${id} and (lease_until is null or lease_until <= now() or state <> 'pending')`.execute(tx);
    await notify(tx, 'webhook_deliveries');
  }

  /** Adds a delivery about the endpoint itself. @param json the endpoint as the API shows it */
  async insertTest(tx: Tx, endpointId: string, json: string): Promise<string> {
    const { rows } = await sql<{ id: string }>`
      insert into webhook_deliveries (endpoint_id, type, subject_id, sequence, created_at, body)
      select t.id, t.type, t.id::text, t.sequence, t.at, webhook_body(t.type, t.at, t.sequence, t.json)
      from (
        select ${endpointId}::uuid as id, ${WEBHOOK_TEST_TYPE}::text as type, now() as at, ${json}::text as json, (
          select coalesce(max(d.sequence), 0) + 1 from webhook_deliveries d
          where d.endpoint_id = ${endpointId} and d.type = ${WEBHOOK_TEST_TYPE}
        ) as sequence
      ) t
      returning id`.execute(tx);
    const [row] = rows;
    if (row === undefined) throw new Error('an insertion returned no row');
    await notify(tx, 'webhook_deliveries');
    return row.id;
  }

  private async select(db: Database, rest: RawBuilder<unknown>): Promise<DeliveryRow[]> {
    return (await sql<DeliveryRow>`${selectDeliveries} ${rest}`.execute(db)).rows;
  }
}
