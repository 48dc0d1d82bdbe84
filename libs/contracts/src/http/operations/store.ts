import { z } from 'zod';
import {
  listOrdersQuerySchema,
  listPetsQuerySchema,
  newOrderSchema,
  newPetSchema,
  orderChangeSchema,
  orderPathSchema,
  orderSchema,
  petPathSchema,
  petSchema,
  petsSchema,
} from '../store.js';
import type { Operations } from './operation.js';

export const animalOperations = {
  listPets: {
    method: 'get',
    path: '/v1/pets',
    summary: 'List animals',
    description:
      'In order of creation, which is that of id. `Link` points to the next page. A page of a search can have fewer entries than its limit, or none, and still a next one.',
    tag: 'animals',
    scope: 'pets:read',
    query: listPetsQuerySchema,
    answers: { 200: { description: 'A page of animals.', schema: petsSchema, headers: ['Link'] } },
    errors: ['invalid_cursor'],
  },
  createPet: {
    method: 'post',
    path: '/v1/pets',
    summary: 'Add an animal',
    description: 'The status is `available` by default.',
    tag: 'animals',
    scope: 'pets:write',
    body: { schema: newPetSchema },
    answers: { 201: { description: 'The new animal with its id.', schema: petSchema, headers: ['Location'] } },
  },
  getPet: {
    method: 'get',
    path: '/v1/pets/{petId}',
    summary: 'Get an animal',
    description: 'Deprecated: list animals by status instead. After its sunset, the operation answers `410`.',
    tag: 'animals',
    scope: 'pets:read',
    deprecated: { since: '2025-12-01T00:00:00Z', sunset: '2030-12-05T00:00:00Z' },
    params: petPathSchema,
    answers: { 200: { description: 'The animal.', schema: petSchema, headers: ['Link'] } },
    errors: ['not_found', 'gone'],
  },
} as const satisfies Operations;

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
