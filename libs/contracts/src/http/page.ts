import { z } from 'zod';

/** What every list that is read in pages takes. Part of strict query schemas: each adds its own filters. */
export const pageParameters = {
  /** How many at most. */
  limit: z
    .string()
    .regex(/^(?:[1-9]\d?|100)$/, { error: 'must be an integer from 1 to 100' })
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
