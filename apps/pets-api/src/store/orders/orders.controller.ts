import { Body, Controller, Get, Inject, Injectable, Param, Patch, Post, Query, Res } from '@nestjs/common';
import {
  listOrdersQuerySchema,
  newOrderSchema,
  orderChangeSchema,
  orderPathSchema,
  type ListOrdersQuery,
  type NewOrder,
  type Order,
  type OrderChange,
  type OrderEnding,
  type OrderPath,
  type Pet,
  type PetStatus,
} from '@pets/contracts';
import { inTransaction, type Database } from '@pets/persistence';
import { RequestError } from '@pets/platform';
import type { FastifyReply } from 'fastify';
import { missingScopes } from '../../http/bearer-errors.js';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../../http/idempotency/idempotent-call.js';
import { Pages } from '../../http/paging/pages.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { DATABASE } from '../../platform/providers.js';
import { PetsRepository } from '../pets/pets.repository.js';
import { OrdersRepository, type OrderRow } from './orders.repository.js';

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

const ORDERS_PATH = '/v1/store/orders';

/** Orders of animals: `listOrders`, `createOrder`, `getOrder` and `endOrder`. Experimental. */
@Controller(ORDERS_PATH)
export class OrdersController {
  constructor(
    private readonly service: OrdersService,
    private readonly orders: OrdersRepository,
    private readonly pets: PetsRepository,
    private readonly pages: Pages,
    private readonly idempotency: Idempotency,
  ) {}

  @Get()
  async list(
    @CurrentPrincipal() { organizationId, scopes }: Principal,
    @Query({ schema: listOrdersQuerySchema }) { limit, cursor, expand, ...filters }: ListOrdersQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly Order[]> {
    // Both tell about animals.
    const readsPets = expand !== undefined || filters.q !== undefined;
    if (readsPets && !scopes.includes('pets:read')) throw missingScopes(['pets:read']);
    const request = { path: ORDERS_PATH, organizationId, limit, cursor, filters: { ...filters, expand } };
    const page = await this.pages.cutFound(reply, request, (bounds) =>
      this.orders.list(organizationId, filters, bounds),
    );
    if (expand === undefined) return page.map((order) => presentOrder(order));
    const pets = await this.pets.findAll(
      organizationId,
      page.map(({ petId }) => petId),
    );
    return page.map((order) => presentOrder(order, pets.get(order.petId)));
  }

  @Post()
  create(
    @CurrentCall() call: IdempotentCall,
    @Body({ schema: newOrderSchema }) order: NewOrder,
  ): Promise<Order | JsonText> {
    return this.idempotency.run(call, async (db) => {
      const placed = await this.service.place(db, call.principal.organizationId, order);
      return { body: presentOrder(placed), location: `${ORDERS_PATH}/${placed.id}` };
    });
  }

  @Get(':orderId')
  async get(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param({ schema: orderPathSchema }) { orderId }: OrderPath,
  ): Promise<Order> {
    return presentOrder(await this.service.get(organizationId, orderId));
  }

  @Patch(':orderId')
  async end(
    @CurrentPrincipal() { organizationId }: Principal,
    @Param({ schema: orderPathSchema }) { orderId }: OrderPath,
    @Body({ schema: orderChangeSchema }) { status }: OrderChange,
  ): Promise<Order> {
    return presentOrder(await this.service.end(organizationId, orderId, status));
  }
}

function presentOrder({ createdAt, ...order }: OrderRow, pet?: Pet): Order {
  return { ...order, createdAt: createdAt.toISOString(), ...(pet !== undefined && { pet }) };
}
