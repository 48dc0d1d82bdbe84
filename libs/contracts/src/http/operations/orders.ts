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
    description:
      'In order of creation, which is that of id. `Link` points to the next page. A page of a search can have fewer entries than its limit, or none, and still a next one.',
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
      'The animal must be `available` and becomes `pending`. Of several simultaneous orders for an animal, exactly one succeeds.',
    scope: 'orders:write',
    body: { schema: newOrderSchema },
    answers: { 201: { description: 'The placed order.', schema: orderSchema, headers: ['Location'] } },
    errors: ['conflict'],
  },
  getOrder: {
    ...common,
    method: 'get',
    path: '/v1/store/orders/{orderId}',
    summary: 'Get an order',
    description: 'Returns an order of the organization.',
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
    description:
      'A fulfilled order makes the animal `sold`, a cancelled order makes it `available` again. Both are final.',
    scope: 'orders:write',
    params: orderPathSchema,
    body: { schema: orderChangeSchema },
    answers: { 200: { description: 'The changed order.', schema: orderSchema } },
    errors: ['not_found', 'conflict'],
  },
} as const satisfies Operations;
