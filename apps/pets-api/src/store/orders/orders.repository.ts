import { Inject, Injectable } from '@nestjs/common';
import type { ListOrdersQuery, NewOrder, OrderEnding, OrderStatus } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import { sql, type SqlBool } from 'kysely';
import { containsText, byNumber, findPage, readPage } from '../../http/paging/keyset.js';
import type { FoundPage, PageBounds } from '../../http/paging/pages.js';
import { DATABASE } from '../../platform/providers.js';
import { enqueueDeliveries } from '../enqueue-deliveries.js';

export type OrderFilters = Pick<ListOrdersQuery, 'status' | 'q' | 'sort'>;

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

  /** Inserts an order, and adds the deliveries to endpoints. */
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

  /** In order of creation. @param q what the name of the animal contains */
  async list(
    organizationId: string,
    { status, q, sort }: OrderFilters,
    bounds: PageBounds,
  ): Promise<FoundPage<OrderRow>> {
    const ofStatus = status === undefined ? sql`true` : sql`o.status = ${status}`;
    const where = sql<SqlBool>`o.organization_id = ${organizationId} and ${ofStatus}`;
    const [from, filters] =
      q === undefined
        ? [sql`orders o`, []]
        : [sql`orders o join pets p on p.id = o.pet_id`, [containsText('p.name', q)]];
    const query = { from, id: 'o.id', where, keyset: byNumber('o.id', sort), filters };
    return readPage(await findPage(this.db, query, bounds), (ids) =>
      this.db.selectFrom('orders').select(columns).where('id', 'in', ids.map(BigInt)).execute(),
    );
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
