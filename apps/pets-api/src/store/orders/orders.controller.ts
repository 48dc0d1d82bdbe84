import { Body, Controller, Get, Param, Patch, Post, Query, Res } from '@nestjs/common';
import {
  listOrdersQuerySchema,
  newOrderSchema,
  orderChangeSchema,
  orderPathSchema,
  type ListOrdersQuery,
  type NewOrder,
  type Order,
  type OrderChange,
  type OrderPath,
  type Pet,
} from '@pets/contracts';
import type { FastifyReply } from 'fastify';
import { missingScopes } from '../../http/bearer-errors.js';
import { Idempotency, type JsonText } from '../../http/idempotency/idempotency.service.js';
import { CurrentCall, type IdempotentCall } from '../../http/idempotency/idempotent-call.js';
import { Pages } from '../../http/paging/pages.js';
import { CurrentPrincipal, type Principal } from '../../http/principal.js';
import { PetsRepository } from '../pets/pets.repository.js';
import { OrdersRepository, OrdersService, type OrderRow } from './orders.service.js';

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
