import { z } from 'zod';

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
