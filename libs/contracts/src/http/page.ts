import { z } from 'zod';
import { textSchema } from './scalars.js';

const limitText = z.string().regex(/^(?:[1-9]\d?|100)$/, { error: 'must be an integer from 1 to 100' });

/** The query parameters of every paginated list. Each strict query schema adds its own filters. */
export const pageParameters = {
  limit: limitText
    .default('20')
    .transform(Number)
    .meta({
      description: 'Maximum number of entries.',
      wire: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 20 },
    }),
  cursor: z
    .string()
    .max(512)
    .meta({
      description: 'Where the page starts: from the `Link` header of the previous page.',
      pattern: '^[A-Za-z0-9_-]+$',
    })
    .optional(),
} as const;

/** The same for lists that were not paginated at first: without `limit`, they return up to 1 000 entries. */
export const optionalPageParameters = {
  limit: limitText
    .transform(Number)
    .meta({
      description: 'Maximum number of entries. If absent, up to 1 000 entries are returned on one page.',
      wire: { type: 'integer', format: 'int32', minimum: 1, maximum: 100 },
    })
    .optional(),
  cursor: pageParameters.cursor,
} as const;

/** Order of creation, in lists that offer both directions. */
export const creationSortSchema = z
  .enum(['createdAt', '-createdAt'])
  .describe('The order: of creation, which is the default, or with `-` the newest first.')
  .optional();

/** A parameter that is true or false. */
export function flagSchema(description: string) {
  return z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .meta({ description, wire: { type: 'boolean' } })
    .optional();
}

/** A part of a text that a list is searched for, without regard to case. */
export function searchSchema(description: string) {
  return textSchema(100).describe(description).optional();
}
