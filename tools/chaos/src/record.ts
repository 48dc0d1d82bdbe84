import { readRecord, runRecord, suiteRecord } from '@pets/bench/measured';
import { z } from 'zod';
import { suiteNames } from './options.js';

/** The record of a suite's last run, in `docs/measured/chaos-SUITE.json`. */
const chaosRecord = z.strictObject({
  ...runRecord.shape,
  ...suiteRecord.shape,
  faults: z.array(
    z.strictObject({
      name: z.string(),
      rounds: z.int(),
      failed: z.int(),
      /** Of all rounds together; null where it is not counted. */
      lost: z.int().nullable(),
      duplicated: z.int().nullable(),
      recovery: z
        .strictObject({
          /** null where more than half never recovered, and where it was not measured. */
          p50Ms: z.int().nullable(),
          /** Of those that did. */
          maxMs: z.int().nullable(),
          /** Rounds in which not all was well within the limit. */
          never: z.int(),
        })
        .nullable(),
      remark: z.string().optional(),
    }),
  ),
});

export type ChaosRecord = z.infer<typeof chaosRecord>;
export type FaultResult = ChaosRecord['faults'][number];

/** The record of each suite that was run. */
export function readChaosRecords(): readonly ChaosRecord[] {
  return suiteNames.flatMap((suite) => readRecord(recordName(suite), chaosRecord) ?? []);
}

/** The name of a suite's record in `docs/measured`. */
export function recordName(suite: string): string {
  return `chaos-${suite}`;
}
