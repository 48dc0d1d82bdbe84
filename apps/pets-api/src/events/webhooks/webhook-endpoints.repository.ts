import { Inject, Injectable } from '@nestjs/common';
import type {
  ListWebhookEndpointsQuery,
  NewWebhookEndpoint,
  WebhookDisabledReason,
  WebhookEndpointChange,
  WebhookEventType,
} from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { sql, type SqlBool } from 'kysely';
import { byNumber, findPage, readPage } from '../../http/paging/keyset.js';
import type { FoundPage, PageBounds } from '../../http/paging/pages.js';
import { DATABASE } from '../../platform/providers.js';

export interface WebhookEndpointRow {
  readonly id: string;
  readonly number: bigint;
  readonly organizationId: string;
  readonly projectId: string | null;
  readonly url: string;
  readonly description: string | null;
  readonly eventTypes: readonly WebhookEventType[];
  readonly enabled: boolean;
  readonly disabledReason: WebhookDisabledReason | null;
  readonly disabledAt: Date | null;
  readonly failingSince: Date | null;
  readonly pausedAt: Date | null;
  readonly previousSecretUntil: Date | null;
  readonly createdAt: Date;
}

const columns = [
  'e.id',
  'e.number',
  'e.organization_id as organizationId',
  'e.project_id as projectId',
  'e.url',
  'e.description',
  'e.event_types as eventTypes',
  'e.enabled',
  'e.disabled_reason as disabledReason',
  'e.disabled_at as disabledAt',
  'e.failing_since as failingSince',
  'e.paused_at as pausedAt',
  'e.created_at as createdAt',
] as const;

/** When the previous secret ends, while it still signs. */
const previousSecretUntil = sql<Date | null>`(
  select max(s.expires_at) from webhook_secrets s where s.endpoint_id = e.id and s.expires_at > now()
)`.as('previousSecretUntil');

type WebhookEndpointFilters = Pick<ListWebhookEndpointsQuery, 'enabled' | 'sort'>;

/** The values of an endpoint after validation. */
export type EndpointValues = Pick<WebhookEndpointChange, 'url' | 'description' | 'eventTypes'>;

@Injectable()
export class WebhookEndpointsRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async count(organizationId: string, db: Database = this.db): Promise<number> {
    const { count } = await db
      .selectFrom('webhook_endpoints')
      .select(({ fn }) => fn.countAll<bigint>().as('count'))
      .where('organization_id', '=', organizationId)
      .executeTakeFirstOrThrow();
    return Number(count);
  }

  async insert(tx: Tx, organizationId: string, endpoint: NewWebhookEndpoint): Promise<string> {
    const { id } = await tx
      .insertInto('webhook_endpoints')
      .values({
        organization_id: organizationId,
        project_id: endpoint.projectId,
        url: endpoint.url,
        description: endpoint.description,
        event_types: endpoint.eventTypes,
        disabled_reason: null,
        disabled_at: null,
        failing_since: null,
        paused_at: null,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  }

  /** In order of creation. */
  async list(
    organizationId: string,
    { enabled, sort }: WebhookEndpointFilters,
    bounds: PageBounds,
  ): Promise<FoundPage<WebhookEndpointRow>> {
    const filters = enabled === undefined ? [] : [sql<SqlBool>`e.enabled = ${enabled}`];
    const where = sql<SqlBool>`e.organization_id = ${organizationId}`;
    const keyset = byNumber('e.number', sort);
    const found = await findPage(
      this.db,
      { from: sql`webhook_endpoints e`, id: 'e.id', where, keyset, filters },
      bounds,
    );
    return readPage(found, (ids) =>
      this.db
        .selectFrom('webhook_endpoints as e')
        .select(columns)
        .select(previousSecretUntil)
        .where('e.id', 'in', ids)
        .execute(),
    );
  }

  /** @throws RequestError `not_found` also for another organization's */
  async get(organizationId: string, id: string, db: Database = this.db): Promise<WebhookEndpointRow> {
    const row = await db
      .selectFrom('webhook_endpoints as e')
      .select(columns)
      .select(previousSecretUntil)
      .where('e.id', '=', id)
      .where('e.organization_id', '=', organizationId)
      .executeTakeFirst();
    if (row === undefined) throw new RequestError('not_found', 'There is no such webhook endpoint.');
    return row;
  }

  /**
   * Locks an endpoint for a change of it or its deliveries, always before a delivery is locked, so that transactions cannot
   * deadlock. @throws RequestError `not_found`
   */
  async lock(tx: Tx, organizationId: string, id: string): Promise<Pick<WebhookEndpointRow, 'enabled' | 'url'>> {
    const row = await tx
      .selectFrom('webhook_endpoints')
      .select(['enabled', 'url'])
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (row === undefined) throw new RequestError('not_found', 'There is no such webhook endpoint.');
    return row;
  }

  async update(tx: Tx, id: string, { url, description, eventTypes }: EndpointValues): Promise<void> {
    if (url === undefined && description === undefined && eventTypes === undefined) return;
    await tx
      .updateTable('webhook_endpoints')
      .set({ url, description, event_types: eventTypes })
      .where('id', '=', id)
      .execute();
  }

  /** Sends to it again. */
  async enable(tx: Tx, id: string): Promise<void> {
    await tx
      .updateTable('webhook_endpoints')
      .set({ enabled: true, disabled_reason: null, disabled_at: null, failing_since: null })
      .where('id', '=', id)
      .where('enabled', '=', false)
      .execute();
  }

  /** Disables an endpoint, and fails its pending deliveries. The first reason stays. */
  async disable(tx: Tx, id: string, reason: WebhookDisabledReason, now: Date): Promise<void> {
    await tx
      .updateTable('webhook_endpoints')
      .set({ enabled: false, disabled_reason: reason, disabled_at: now })
      .where('id', '=', id)
      .where('enabled', '=', true)
      .execute();
    await tx
      .updateTable('webhook_deliveries')
      .set({ state: 'failed', due_at: null })
      .where('endpoint_id', '=', id)
      .where('state', '=', 'pending')
      .execute();
  }

  /** Deletes an endpoint with its secrets and deliveries. */
  async delete(tx: Tx, id: string): Promise<void> {
    await tx.deleteFrom('webhook_endpoints').where('id', '=', id).execute();
    await tx.deleteFrom('webhook_deliveries').where('endpoint_id', '=', id).execute();
  }
}
