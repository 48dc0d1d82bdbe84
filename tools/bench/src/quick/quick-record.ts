import { z } from 'zod';
import { runRecord } from '../measured/record.js';

/** The record that `npm run bench -- quick` compares with: `docs/measured/quick.json`. */
export const quickRecord = z.strictObject({
  ...runRecord.shape,
  /** Why these figures became the record. */
  reason: z.string(),
  seconds: z.int(),
  counts: z.array(z.strictObject({ name: z.string(), value: z.number() })),
  costs: z.array(z.strictObject({ name: z.string(), ratio: z.number(), spread: z.number() })),
});

export type QuickRecord = z.infer<typeof quickRecord>;
