import { Inject, Injectable } from '@nestjs/common';
import type { NewOrder, OrderEnding, OrderStatus } from '@pets/contracts';
import type { Database, Tx } from '@pets/persistence';
import type { PageBounds } from '../listing/pages.js';
import { DATABASE } from '../providers.js';

export interface OrderRow {
  readonly id: bigint;
  readonly petId: bigint;
  readonly quantity: number;
  readonly status: OrderStatus;
  readonly createdAt: Date;
}

const columns = ['id', 'pet_id as petId', 'quantity', 'status', 'created_at as createdAt'] as const;

@Injectable()
export class OrdersRepository {
  constructor(@Inject(DATABASE) private readonly db: Database) {}

  async insert(tx: Tx, organizationId: string, { petId, quantity }: NewOrder): Promise<OrderRow> {
    const row = await tx
      .insertInto('orders')
      .values({ organization_id: organizationId, pet_id: petId, quantity })
      .returning(columns)
      .executeTakeFirstOrThrow();
    return row as OrderRow;
  }

  /** Undefined also for another organization's order. */
  async find(organizationId: string, id: bigint): Promise<OrderRow | undefined> {
    const row = await this.db
      .selectFrom('orders')
      .select(columns)
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .executeTakeFirst();
    return row as OrderRow | undefined;
  }

  async list(
    organizationId: string,
    { limit, afterId }: PageBounds,
    filter: { readonly status: OrderStatus | undefined },
  ): Promise<OrderRow[]> {
    const rows = await this.db
      .selectFrom('orders')
      .select(columns)
      .where('organization_id', '=', organizationId)
      .where('id', '>', BigInt(afterId))
      .$if(filter.status !== undefined, (query) => query.where('status', '=', filter.status ?? ''))
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows as OrderRow[];
  }

  /** Ends a placed order, once; undefined when there is no placed order of this organization with this id. */
  async end(tx: Tx, organizationId: string, id: bigint, ending: OrderEnding): Promise<OrderRow | undefined> {
    const row = await tx
      .updateTable('orders')
      .set({ status: ending })
      .where('id', '=', id)
      .where('organization_id', '=', organizationId)
      .where('status', '=', 'placed')
      .returning(columns)
      .executeTakeFirst();
    return row as OrderRow | undefined;
  }
}
