import { z } from 'zod';
import { orderEndings, orderStatuses } from '../closed-sets.js';
import { int64Schema, int64TextSchema } from './int64.js';
import { pageParameters } from './page.js';

export const orderStatusSchema = z.enum(orderStatuses);

/** Body of createOrder. */
export const newOrderSchema = z.strictObject({
  /** The animal that is ordered; it must be available. */
  petId: int64Schema,
  quantity: z
    .int({ error: 'must be an integer' })
    .min(1, { error: 'must be an integer from 1 to 100' })
    .max(100, { error: 'must be an integer from 1 to 100' }),
});

export type NewOrder = z.infer<typeof newOrderSchema>;

/** An order as returned. */
export interface Order extends NewOrder {
  /** Assigned by the service, ascending. */
  readonly id: bigint;
  readonly status: z.infer<typeof orderStatusSchema>;
  readonly createdAt: string;
}

/** Body of endOrder. */
export const orderChangeSchema = z.strictObject({ status: z.enum(orderEndings) });

export type OrderChange = z.infer<typeof orderChangeSchema>;

/** Query of listOrders. Strict, as every query. */
export const listOrdersQuerySchema = z.strictObject({ ...pageParameters, status: orderStatusSchema.optional() });

export type ListOrdersQuery = z.infer<typeof listOrdersQuerySchema>;

/** Path of a single order. */
export const orderPathSchema = z.strictObject({ orderId: int64TextSchema });

export type OrderPath = z.infer<typeof orderPathSchema>;
