import { Inject, Injectable } from '@nestjs/common';
import type { NewOrder, OrderEnding, OrderStatus } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { sql } from 'kysely';
import type { PageBounds } from '../../http/paging/pages.js';
import { DATABASE } from '../../platform/providers.js';
import { enqueueDeliveries } from '../enqueue-deliveries.js';

export interface OrderRow {
  readonly id: bigint;
  readonly petId: bigint;
  readonly quantity: number;
  readonly status: OrderStatus;
  readonly createdAt: Date;
}

const columns = ['id', 'pet_id as petId', 'quantity', 'status', 'created_at as createdAt'] as const;

/** An order as the API shows it. */
const orderJson = `(
  select row_to_json(shown)::text from (
    select id, pet_id as "petId", quantity, status,
      to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt"
  ) shown
)`;

const enqueued = sql.raw(enqueueDeliveries({ type: 'order.created', table: 'orders', json: orderJson }));

@Injectable()
export class OrdersRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  /** Also adds the deliveries to endpoints. */
  async insert(tx: Tx, organizationId: string, { petId, quantity }: NewOrder): Promise<OrderRow> {
    const { rows } = await sql<OrderRow>`
      with placed as (
        insert into orders (organization_id, pet_id, quantity) values (${organizationId}, ${petId}, ${quantity})
        returning id, pet_id as "petId", quantity, status, created_at as "createdAt", ${enqueued}
      )
      select id, "petId", quantity, status, "createdAt" from placed`.execute(tx);
    const [row] = rows;
    if (row === undefined) throw new Error('an insertion returned no row');
    return row;
  }

  /** Undefined also for another organization's order. */
  async find(organizationId: string, id: bigint): Promise<OrderRow | undefined> {
    return this.db
      .selectFrom('orders')
      .select(columns)
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
  }

  async list(
    organizationId: string,
    { limit, afterId }: PageBounds,
    { status }: { readonly status: OrderStatus | undefined },
  ): Promise<OrderRow[]> {
    let query = this.db
      .selectFrom('orders')
      .select(columns)
      .where('organization_id', '=', organizationId)
      .where('id', '>', BigInt(afterId));
    if (status !== undefined) query = query.where('status', '=', status);
    return query.orderBy('id').limit(limit).execute();
  }

  /** Ends a placed order, once; undefined when there is no placed order of this organization with this id. */
  async end(tx: Tx, organizationId: string, id: bigint, ending: OrderEnding): Promise<OrderRow | undefined> {
    return tx
      .updateTable('orders')
      .set({ status: ending })
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .where('status', '=', 'placed')
      .returning(columns)
      .executeTakeFirst();
  }
}
