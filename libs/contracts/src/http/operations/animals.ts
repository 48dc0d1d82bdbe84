import { listPetsQuerySchema, newPetSchema, petPathSchema, petSchema, petsSchema } from '../pets.js';
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
