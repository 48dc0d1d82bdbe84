import { z } from 'zod';
import { runRecord, suiteRecord } from './record.js';

/** The figures of one suite. */
const measuredSuite = suiteRecord.extend({
  figures: z.array(
    z.strictObject({
      name: z.string(),
      ratio: z.number().nullable(),
      bar: z.number().nullable(),
      isMaximum: z.literal(true).optional(),
      isMet: z.boolean().nullable(),
    }),
  ),
});

/** The record of `npm run bench`: all suites, one after the other, at one commit on one machine. */
export const benchRecord = runRecord.extend({ suites: z.array(measuredSuite) });

export type MeasuredSuite = z.infer<typeof measuredSuite>;
export type BenchRecord = z.infer<typeof benchRecord>;
