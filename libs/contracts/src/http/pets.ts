import { z } from 'zod';
import { petStatuses } from '../enums.js';
import { int64Schema, int64TextSchema, textSchema } from './scalars.js';
import { creationSortSchema, pageParameters, prefixSchema } from './page.js';

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
  q: prefixSchema('Return only animals whose name begins with this text.'),
  sort: creationSortSchema,
});

export type ListPetsQuery = z.infer<typeof listPetsQuerySchema>;

/** Path of getPet. */
export const petPathSchema = z.strictObject({
  petId: int64TextSchema.meta({ description: 'The id of the animal.', example: 10 }),
});

export type PetPath = z.infer<typeof petPathSchema>;
