import { z } from 'zod';

const limitText = z.string().regex(/^(?:[1-9]\d?|100)$/, { error: 'must be an integer from 1 to 100' });

/** What every list that is read in pages takes. Part of strict query schemas: each adds its own filters. */
export const pageParameters = {
  /** How many at most. */
  limit: limitText
    .default('20')
    .transform(Number)
    .meta({
      description: 'How many at most.',
      wire: { type: 'integer', format: 'int32', minimum: 1, maximum: 100, default: 20 },
    }),
  /** Where to go on, from the `Link` of the page before. */
  cursor: z
    .string()
    .max(512)
    .meta({
      description: 'Where to go on: from the `Link` of the page before, never made by hand.',
      pattern: '^[A-Za-z0-9_-]+$',
    })
    .optional(),
} as const;

/**
 * What lists take that had no pages at first: callers of then give no `limit`, and get all of up to 1 000.
 */
export const laterPageParameters = {
  limit: limitText
    .transform(Number)
    .meta({
      description: 'How many at most. Left out: up to 1 000, for callers that know of no pages.',
      wire: { type: 'integer', format: 'int32', minimum: 1, maximum: 100 },
    })
    .optional(),
  cursor: pageParameters.cursor,
} as const;
