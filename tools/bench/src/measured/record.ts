import { z } from 'zod';

/**
 * What a run of a suite leaves behind: one small file a suite in `docs/measured`, of which the pages are made. A record
 * holds what was seen and under which circumstances, also when the suite failed.
 */
export const runRecord = z.strictObject({
  suite: z.string(),
  command: z.string(),
  /** `YYYY-MM-DD`. */
  date: z.iso.date(),
  commit: z.strictObject({ id: z.string(), isDirty: z.boolean() }).optional(),
  seconds: z.int().optional(),
  /** What was not left at its default. */
  settings: z.array(z.strictObject({ name: z.string(), value: z.string(), byDefault: z.string() })),
  machine: z.strictObject({
    processor: z.string(),
    processors: z.int(),
    memoryGb: z.number(),
    system: z.string(),
    /** Name and version of what was measured or broken besides our own. */
    programs: z.array(z.strictObject({ name: z.string(), version: z.string() })),
  }),
  /** What the suite printed. */
  lines: z.array(z.string()),
  /** Why the suite did not get to its end. */
  failed: z.string().optional(),
  /** Where the figures come from when no run of today's program left them. */
  carriedOver: z.string().optional(),
});

export const benchRecord = runRecord.extend({
  figures: z.array(
    z.strictObject({
      name: z.string(),
      /** null where there was nothing to divide. */
      ratio: z.number().nullable(),
      /** null where nothing was to be reached. */
      bar: z.number().nullable(),
      isMet: z.boolean().nullable(),
    }),
  ),
});

export type RunRecord = z.infer<typeof runRecord>;
export type ChangedSetting = RunRecord['settings'][number];
export type Machine = RunRecord['machine'];
export type BenchRecord = z.infer<typeof benchRecord>;
export type MeasuredFigure = BenchRecord['figures'][number];
