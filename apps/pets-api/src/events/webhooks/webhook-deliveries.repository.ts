import { Inject, Injectable } from '@nestjs/common';
import {
  WEBHOOK_TEST_TYPE,
  type ListWebhookDeliveriesQuery,
  type WebhookAttempt,
  type WebhookAttemptDetail,
  type WebhookDeliveryState,
  type WebhookMessageType,
} from '@pets/contracts';
import { notify, type Database, type Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { z } from 'zod';
import { byNumber, findPage, readPage } from '../../http/paging/keyset.js';
import type { FoundPage, PageBounds } from '../../http/paging/pages.js';
import { DATABASE } from '../../platform/providers.js';

export interface DeliveryRow {
  readonly id: string;
  readonly endpointId: string;
  readonly type: WebhookMessageType;
  readonly subjectId: string;
  readonly sequence: number;
  readonly state: WebhookDeliveryState;
  readonly createdAt: Date;
  readonly deliveredAt: Date | null;
  /** Time of the next attempt; null without one, and during an attempt. */
  readonly dueAt: Date | null;
  readonly failures: number;
  /** The newest ones, in order. Times in PostgreSQL's JSON format. */
  readonly attempts: readonly WebhookAttempt[];
}

/** Delivery with the parts that a list leaves out, because they are long. */
export interface DeliveryDetailRow extends DeliveryRow {
  readonly body: string;
  readonly attempts: readonly WebhookAttemptDetail[];
}

type DeliveryFilters = Pick<ListWebhookDeliveriesQuery, 'state' | 'type' | 'search'>;

/** Attempts of a delivery that are stored: older ones are deleted. Each replay adds as many as the schedule has. */
export const KEPT_ATTEMPTS = 20;

const columns = sql`
  d.id, d.endpoint_id as "endpointId", d.type, d.subject_id as "subjectId", d.sequence, d.state,
  d.created_at as "createdAt", d.delivered_at as "deliveredAt", d.failures,
  case when d.lease_until > now() then null else d.due_at end as "dueAt"`;

const attemptMembers = sql`
  'number', a.number, 'at', a.at, 'status', a.status, 'durationMs', a.duration_ms, 'error', a.error,
  'bodyStart', a.body_start`;
const attemptDetailMembers = sql`
  ${attemptMembers}, 'requestHeaders', a.request_headers, 'responseHeaders', a.response_headers`;

/** Attempts of the delivery `d` as JSON. */
function attemptsWith(members: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`coalesce((
    select jsonb_agg(jsonb_build_object(${members}) order by a.number)
    from (
      select * from webhook_attempts a where a.delivery_id = d.id order by a.number desc limit ${KEPT_ATTEMPTS}
    ) a
  ), '[]') as attempts`;
}

/** Deliveries of an endpoint as its owner sees them. The caller has checked that the endpoint is the owner's. */
@Injectable()
export class WebhookDeliveriesRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Newest first. A filter without an index reads a bounded number of rows for a page. */
  async list(
    endpointId: string,
    { state, type, search }: DeliveryFilters,
    bounds: PageBounds,
  ): Promise<FoundPage<DeliveryRow>> {
    const filters: RawBuilder<SqlBool>[] = [];
    const indexed = [sql<SqlBool>`d.endpoint_id = ${endpointId}`];
    if (search !== undefined) indexed.push(await this.matchSearch(endpointId, search));
    if (type !== undefined) filters.push(sql`d.type = ${type}`);
    if (state === 'delivered') filters.push(sql`d.state = 'delivered'`);
    // A partial index has all others, which are few.
    else if (state !== undefined) indexed.push(sql`d.state = ${sql.lit(state)} and d.state <> 'delivered'`);
    const query = {
      from: sql`webhook_deliveries d`,
      id: 'd.id',
      where: sql<SqlBool>`${sql.join(indexed, sql` and `)}`,
      keyset: byNumber('d.number', '-number'),
      filters,
    };
    return readPage(await findPage(this.db, query, bounds), async (ids) => {
      const { rows } = await sql<DeliveryRow>`
        select ${columns}, ${attemptsWith(attemptMembers)}
        from webhook_deliveries d where d.id = any(${ids}::uuid[])`.execute(this.db);
      return rows;
    });
  }

  /** @throws RequestError `not_found` */
  async get(endpointId: string, id: string, db: Database): Promise<DeliveryRow> {
    const { rows } = await sql<DeliveryRow>`
      select ${columns}, ${attemptsWith(attemptMembers)}
      from webhook_deliveries d where d.id = ${id} and d.endpoint_id = ${endpointId}`.execute(db);
    return requireFound(rows);
  }

  /** @throws RequestError `not_found` */
  async getDetail(endpointId: string, id: string): Promise<DeliveryDetailRow> {
    const { rows } = await sql<DeliveryDetailRow>`
      select ${columns}, d.body, ${attemptsWith(attemptDetailMembers)}
      from webhook_deliveries d where d.id = ${id} and d.endpoint_id = ${endpointId}`.execute(this.db);
    return requireFound(rows);
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
          where d.endpoint_id = ${endpointId} and d.subject_id = ${endpointId}::text
        ) as sequence
      ) t
      returning id`.execute(tx);
    const [row] = rows;
    if (row === undefined) throw new Error('an insertion returned no row');
    await notify(tx, 'webhook_deliveries');
    return row.id;
  }

  /** A search is for the id of a delivery, or of a resource that deliveries are about. */
  private async matchSearch(endpointId: string, search: string): Promise<RawBuilder<SqlBool>> {
    const isId = z.uuid().safeParse(search).success;
    const found =
      isId &&
      (await this.db
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('id', '=', search)
        .where('endpoint_id', '=', endpointId)
        .executeTakeFirst());
    return found ? sql`d.id = ${search}` : sql`d.subject_id = ${isId ? search.toLowerCase() : search}`;
  }
}

/** @throws RequestError `not_found` */
function requireFound<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new RequestError('not_found', 'There is no such delivery.');
  return row;
}
