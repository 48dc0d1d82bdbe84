import { z } from 'zod';

const limitText = z.string().regex(/^(?:[1-9]\d?|100)$/, { error: 'must be an integer from 1 to 100' });

/** What every list that is read in pages takes. Part of strict query schemas: each adds its own filters. */
export const pageParameters = {
  /** How many at most. */
  limit: limitText
    .default('20')
    .transform(Number)
    .meta({
      description: 'Maximum number of entries.',
      wire: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 20 },
    }),
  /** Where to go on, from the `Link` of the page before. */
  cursor: z
    .string()
    .max(512)
    .meta({
      description: 'Where the page starts: from the `Link` header of the previous page.',
      pattern: '^[A-Za-z0-9_-]+$',
    })
    .optional(),
} as const;

/**
 * What lists take that had no pages at first: callers of then give no `limit`, and get all of up to 1 000.
 */
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
