import { Inject, Injectable } from '@nestjs/common';
import type { WebhookEventType, WebhookMessageType } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import { DATABASE } from '../../platform/providers.js';

export interface WebhookListenerRow {
  readonly id: string;
  readonly eventTypes: readonly WebhookEventType[];
  readonly projectId: string | null;
  readonly createdAt: Date;
}

/** A delivery that was taken out of the table. */
export interface TakenDelivery {
  readonly listenerId: string;
  readonly id: string;
  readonly number: bigint;
  readonly type: WebhookMessageType;
  readonly subjectId: string;
  readonly body: string;
}

/** Time without a renewal after which the server of the stream is gone: several rounds of renewal. */
const LEASE_SECONDS = 30;

/** Deliveries that one stream gets at a time: fewer bytes than for which it is dropped. */
const MAX_TAKEN = 50;
const MAX_TAKEN_BYTES = 64 * 1024;

const columns = ['id', 'event_types as eventTypes', 'project_id as projectId', 'created_at as createdAt'] as const;
const leaseEnd = sql<Date>`now() + make_interval(secs => ${sql.lit(LEASE_SECONDS)})`;
const isOpen = sql<boolean>`expires_at > now()`;

@Injectable()
export class WebhookListenersRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async count(tx: Tx, organizationId: string): Promise<number> {
    const { count } = await tx
      .selectFrom('webhook_listeners')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('organization_id', '=', organizationId)
      .where(isOpen)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async insert(
    tx: Tx,
    organizationId: string,
    { eventTypes, projectId }: Pick<WebhookListenerRow, 'eventTypes' | 'projectId'>,
  ): Promise<WebhookListenerRow> {
    return tx
      .insertInto('webhook_listeners')
      .values({
        organization_id: organizationId,
        project_id: projectId,
        event_types: eventTypes,
        expires_at: leaseEnd,
      })
      .returning(columns)
      .executeTakeFirstOrThrow();
  }

  /** The open streams of an organization. They are few, so there are no pages. */
  async list(organizationId: string): Promise<WebhookListenerRow[]> {
    return this.db
      .selectFrom('webhook_listeners')
      .select(columns)
      .where('organization_id', '=', organizationId)
      .where(isOpen)
      .orderBy('number')
      .execute();
  }

  /** @returns the ids of those that were there */
  async renew(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const renewed = await this.db
      .updateTable('webhook_listeners')
      .set({ expires_at: leaseEnd })
      .where('id', 'in', ids)
      .returning('id')
      .execute();
    return renewed.map(({ id }) => id);
  }

  /** Deletes a listener with the deliveries that it has not taken. */
  async delete(id: string): Promise<void> {
    await sql`
      with gone as (delete from webhook_listeners where id = ${id})
      delete from webhook_deliveries where endpoint_id = ${id}`.execute(this.db);
  }

  /** Deletes listeners whose server is gone, with their deliveries. */
  async deleteExpired(): Promise<void> {
    await sql`
      with gone as (delete from webhook_listeners where expires_at <= now() returning id)
      delete from webhook_deliveries d using gone where d.endpoint_id = gone.id`.execute(this.db);
  }

  /** Takes the oldest deliveries of each of these listeners, in their order. */
  async take(ids: readonly string[]): Promise<TakenDelivery[]> {
    const { rows } = await sql<TakenDelivery>`
      with oldest as (
        select d.id from unnest(${ids}::uuid[]) as l (id)
        cross join lateral (
          select waiting.id,
            sum(octet_length(waiting.body)) over (order by waiting.number) - octet_length(waiting.body) as bytes_before
          from (
            select id, number, body from webhook_deliveries where endpoint_id = l.id
            order by number limit ${sql.lit(MAX_TAKEN)}
          ) waiting
        ) d
        where d.bytes_before < ${sql.lit(MAX_TAKEN_BYTES)}
      )
      delete from webhook_deliveries d using oldest where d.id = oldest.id
      returning d.endpoint_id as "listenerId", d.id, d.number, d.type, d.subject_id as "subjectId", d.body`.execute(
      this.db,
    );
    return rows.sort((a, b) => (a.number < b.number ? -1 : 1));
  }
}
