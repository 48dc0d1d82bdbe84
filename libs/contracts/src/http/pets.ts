import { z } from 'zod';
import { petStatuses } from '../closed-sets.js';
import { int64Schema, int64TextSchema } from './int64.js';
import { pageParameters } from './page.js';
import { textSchema } from './text.js';

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
export const listPetsQuerySchema = z.strictObject({ ...pageParameters, status: petStatusSchema.optional() });

export type ListPetsQuery = z.infer<typeof listPetsQuerySchema>;

/** Path of getPet. */
export const petPathSchema = z.strictObject({ petId: int64TextSchema });

export type PetPath = z.infer<typeof petPathSchema>;
