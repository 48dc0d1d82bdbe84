import { Inject, Injectable } from '@nestjs/common';
import {
  type ListOrdersQuery,
  type NewOrder,
  type OrderEnding,
  type OrderStatus,
  type PetStatus,
} from '@pets/contracts';
import { inTransaction, type Database, type Tx } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import { sql, type SqlBool } from 'kysely';
import { containsText, byNumber, findPage, readPage } from '../../http/paging/keyset.js';
import type { FoundPage, PageBounds } from '../../http/paging/pages.js';
import { DATABASE } from '../../platform/providers.js';
import { enqueueDeliveries, PetsRepository } from '../pets/pets.repository.js';

type OrderFilters = Pick<ListOrdersQuery, 'status' | 'q' | 'sort'>;

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

/**
 * Only orders change the status of animals: placing one makes an available animal `pending`, its end makes it `sold` or
 * `available`. Order and animal change in one transaction.
 */
const petStatusAfter = { fulfilled: 'sold', cancelled: 'available' } as const satisfies Record<OrderEnding, PetStatus>;

@Injectable()
export class OrdersService {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    private readonly pets: PetsRepository,
    private readonly orders: OrdersRepository,
  ) {}

  /**
   * Places an order. If several orders of one animal come at once, exactly one is placed: the others wait for the
   * animal's lock and find it pending.
   * @throws RequestError `invalid_parameter` when there is no such animal, also for another organization's; `conflict`
   * when it is not available
   */
  async place(db: Database, organizationId: string, order: NewOrder): Promise<OrderRow> {
    return inTransaction(db, async (tx) => {
      const status = await this.pets.lockStatus(tx, organizationId, order.petId);
      if (status === undefined) throw RequestError.ofField('invalid_parameter', 'petId', 'there is no such animal');
      if (status !== 'available')
        throw new RequestError('conflict', `The animal is ${status}; only an available one can be ordered.`);
      await this.pets.changeStatus(tx, organizationId, order.petId, { from: 'available', to: 'pending' });
      return this.orders.insert(tx, organizationId, order);
    });
  }

  /** @throws RequestError `not_found` also for another organization's order */
  async get(organizationId: string, id: bigint): Promise<OrderRow> {
    const order = await this.orders.find(organizationId, id);
    if (order === undefined) throw new RequestError('not_found', 'There is no such order.');
    return order;
  }

  /** @throws RequestError `not_found`; `conflict` when the order has ended before, be it in the same way */
  async end(organizationId: string, id: bigint, ending: OrderEnding): Promise<OrderRow> {
    const ended = await this.db.transaction().execute(async (tx) => {
      const order = await this.orders.end(tx, organizationId, id, ending);
      if (order !== undefined)
        await this.pets.changeStatus(tx, organizationId, order.petId, { from: 'pending', to: petStatusAfter[ending] });
      return order;
    });
    if (ended !== undefined) return ended;
    // An end is final, so the current status is the reason for the conflict.
    const { status } = await this.get(organizationId, id);
    throw new RequestError('conflict', `The order is ${status}; only a placed one can be ${ending}.`);
  }
}
