import { z } from 'zod';
import { petStatuses } from '../closed-sets.js';
import { textSchema } from './text.js';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

/**
 * A signed 64-bit integer. A JSON parser that keeps digits hands large ones over as `bigint`; all come out as `bigint`,
 * so that 9007199254740993 is not rounded on its way to the database.
 */
export const int64Schema = z
  .union([z.int(), z.bigint()], { error: 'must be an integer' })
  .transform(BigInt)
  .refine((value) => value >= INT64_MIN && value <= INT64_MAX, { error: 'must fit a signed 64-bit integer' });

export const petStatusSchema = z.enum(petStatuses);

/** Body of createPet. */
export const newPetSchema = z.strictObject({
  /** The animal's name: 1 to 255 characters. */
  name: textSchema(255),
  categoryId: int64Schema,
  status: petStatusSchema.default('available'),
});

export type NewPet = z.infer<typeof newPetSchema>;

/** An animal as returned. */
export interface Pet extends NewPet {
  /** Assigned by the service on creation, ascending. */
  readonly id: bigint;
}

/** Query of listPets. Strict: an unknown or repeated parameter is an error. */
export const listPetsQuerySchema = z.strictObject({
  limit: z
    .string()
    .regex(/^(?:[1-9]\d?|100)$/, { error: 'must be an integer from 1 to 100' })
    .default('20')
    .transform(Number),
  status: petStatusSchema.optional(),
  cursor: z.string().max(512).optional(),
});

export type ListPetsQuery = z.infer<typeof listPetsQuerySchema>;
