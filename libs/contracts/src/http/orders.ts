import { z } from 'zod';
import { orderEndings, orderStatuses } from '../enums.js';
import { instantSchema, int64Schema, int64TextSchema } from './scalars.js';
import { creationSortSchema, pageParameters, prefixSchema } from './page.js';
import { petSchema } from './pets.js';

const orderStatusSchema = z.enum(orderStatuses).meta({
  id: 'OrderStatus',
  description: 'An order is `placed` until it is `fulfilled` or `cancelled`; both are final.',
});

/** Body of createOrder. */
export const newOrderSchema = z
  .strictObject({
    petId: int64Schema.describe('The id of the animal to order; it must be `available`.'),
    quantity: z
      .int({ error: 'must be an integer' })
      .min(1, { error: 'must be an integer from 1 to 100' })
      .max(100, { error: 'must be an integer from 1 to 100' })
      .describe('The quantity, from 1 to 100.'),
  })
  .meta({ id: 'NewOrder', description: 'An order to place.', example: { petId: 10, quantity: 1 } });

export type NewOrder = z.infer<typeof newOrderSchema>;

/** An order as returned. */
export const orderSchema = z
  .object({
    id: int64Schema.describe('Assigned by the service, ascending.'),
    ...newOrderSchema.shape,
    status: orderStatusSchema,
    createdAt: instantSchema,
    pet: petSchema.optional().describe('The animal as it is now. Only with `expand=pet`.'),
  })
  .readonly()
  .meta({
    id: 'Order',
    description: 'An order of an animal.',
    example: { id: 3, petId: 10, quantity: 1, status: 'placed', createdAt: '2026-11-02T09:30:00.000Z' },
  });

export type Order = z.infer<typeof orderSchema>;

/** Body of endOrder. */
export const orderChangeSchema = z
  .strictObject({ status: z.enum(orderEndings).describe('The final status of the order.') })
  .meta({ id: 'OrderChange', description: 'A change of the status of an order.', example: { status: 'fulfilled' } });

export type OrderChange = z.infer<typeof orderChangeSchema>;

/** Query of listOrders. Strict, as every query. */
export const listOrdersQuerySchema = z.strictObject({
  ...pageParameters,
  status: orderStatusSchema.optional().describe('Return only orders with this status.'),
  q: prefixSchema(
    'Return only orders of an animal whose name begins with this text. Requires the scope `pets:read` as well.',
  ),
  sort: creationSortSchema,
  expand: z
    .enum(['pet'])
    .optional()
    .describe('`pet`: each order contains its animal. Requires the scope `pets:read` as well.'),
});

export type ListOrdersQuery = z.infer<typeof listOrdersQuerySchema>;

/** Path of a single order. */
export const orderPathSchema = z.strictObject({
  orderId: int64TextSchema.meta({ description: 'The id of the order.', example: 3 }),
});

export type OrderPath = z.infer<typeof orderPathSchema>;
