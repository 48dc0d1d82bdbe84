import { z } from 'zod';
import { orderEndings, orderStatuses, petStatuses } from '../enums.js';
import { creationSortSchema, pageParameters, searchSchema } from './page.js';
import { instantSchema, int64Schema, int64TextSchema, textSchema } from './scalars.js';

const petStatusSchema = z.enum(petStatuses).meta({
  id: 'PetStatus',
  description:
    'Only orders change the status: placing an order makes it `pending`, fulfilling it `sold`, cancelling it `available`.',
});

const name = textSchema(255).describe('The name of the animal: 1 to 255 characters, stored in Unicode form NFC.');
const categoryId = int64Schema.describe('The category of the animal: any signed 64-bit integer.');

/** Body of createPet. */
export const newPetSchema = z.strictObject({ name, categoryId, status: petStatusSchema.default('available') }).meta({
  id: 'NewPet',
  description: 'An animal to add.',
  example: { name: 'Rex', categoryId: 1, status: 'available' },
});

export type NewPet = z.infer<typeof newPetSchema>;

/** An animal as returned. */
export const petSchema = z
  .object({
    id: int64Schema.describe('Assigned by the service on creation, ascending.'),
    name,
    categoryId,
    status: petStatusSchema,
  })
  .readonly()
  .meta({
    id: 'Pet',
    description: 'An animal of the store.',
    example: { id: 10, name: 'Rex', categoryId: 1, status: 'available' },
  });

/** A page of animals. */
export const petsSchema = z.array(petSchema).meta({ id: 'Pets', description: 'A page of animals.' });

export type Pet = z.infer<typeof petSchema>;

/** Query of listPets. Strict: an unknown or repeated parameter is an error. */
export const listPetsQuerySchema = z.strictObject({
  ...pageParameters,
  status: petStatusSchema.optional().describe('Return only animals with this status.'),
  q: searchSchema('Return only animals whose name contains this text, without regard to case.'),
  sort: creationSortSchema,
});

export type ListPetsQuery = z.infer<typeof listPetsQuerySchema>;

/** Path of getPet. */
export const petPathSchema = z.strictObject({
  petId: int64TextSchema.meta({ description: 'The id of the animal.', example: 10 }),
});

export type PetPath = z.infer<typeof petPathSchema>;

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
  q: searchSchema(
    'Return only orders of an animal whose name contains this text, without regard to case. Requires the scope `pets:read` as well.',
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
