import { z } from 'zod';
import { listOrdersQuerySchema, newOrderSchema, orderChangeSchema, orderPathSchema, orderSchema } from '../orders.js';
import type { Operations } from './operation.js';

const common = { tag: 'orders', stability: 'experimental' } as const;

export const orderOperations = {
  listOrders: {
    ...common,
    method: 'get',
    path: '/v1/store/orders',
    summary: 'List orders',
    description: 'In pages, ascending by id. As long as there is more, `Link` says where.',
    scope: 'orders:read',
    query: listOrdersQuerySchema,
    answers: { 200: { description: 'A page of orders.', schema: z.array(orderSchema), headers: ['Link'] } },
    errors: ['invalid_cursor'],
  },
  createOrder: {
    ...common,
    method: 'post',
    path: '/v1/store/orders',
    summary: 'Order an animal',
    description:
      'The animal must be `available` and becomes `pending`. Of several orders at once exactly one is placed.',
    scope: 'orders:write',
    body: { schema: newOrderSchema },
    answers: { 201: { description: 'The order, placed.', schema: orderSchema, headers: ['Location'] } },
    errors: ['conflict'],
  },
  getOrder: {
    ...common,
    method: 'get',
    path: '/v1/store/orders/{orderId}',
    summary: 'Get an order',
    description: 'One order of the organization.',
    scope: 'orders:read',
    params: orderPathSchema,
    answers: { 200: { description: 'The order.', schema: orderSchema } },
    errors: ['not_found'],
  },
  endOrder: {
    ...common,
    method: 'patch',
    path: '/v1/store/orders/{orderId}',
    summary: 'End an order',
    description: 'Fulfilled, and the animal is `sold`; cancelled, and it is `available` again. Either is final.',
    scope: 'orders:write',
    params: orderPathSchema,
    body: { schema: orderChangeSchema },
    answers: { 200: { description: 'The order, ended.', schema: orderSchema } },
    errors: ['not_found', 'conflict'],
  },
} as const satisfies Operations;
