import {
  describeFailure,
  describeRun,
  paragraphs,
  quantile,
  readRecord,
  renderRegions,
  runRecord,
  suiteRecord,
  table,
} from '@pets/bench/measured';
import { z } from 'zod';
import { suiteNames, type Round } from './round.js';

/** The record of a suite's last run, in `docs/measured/chaos-SUITE.json`. */
const chaosRecord = z.strictObject({
  ...runRecord.shape,
  ...suiteRecord.shape,
  faults: z.array(
    z.strictObject({
      name: z.string(),
      rounds: z.int(),
      failed: z.int(),
      /** Losses of all rounds together; null where they are not counted. */
      lost: z.int().nullable(),
      duplicated: z.int().nullable(),
      recovery: z
        .strictObject({
          /** null where more than half never recovered, and where it was not measured. */
          p50Ms: z.int().nullable(),
          /** Longest recovery of the rounds that recovered. */
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

/** All rounds of a suite, a line a fault, in the order they were tried in. */
export function summarize(rounds: readonly Round[]): FaultResult[] {
  return [...Map.groupBy(rounds, ({ name }) => name)].map(([name, own]) => {
    const remark = own.at(-1)?.remark;
    return {
      ...{ name, rounds: own.length, failed: own.filter(({ seen }) => seen.length > 0).length },
      lost: sum(own.map(({ lost }) => lost)),
      duplicated: sum(own.map(({ duplicated }) => duplicated)),
      recovery: recoveryOf(own),
      ...(remark !== undefined && { remark }),
    };
  });
}

/** Returns the sum of the counts; null if one was not counted. */
function sum(counts: readonly (number | null)[]): number | null {
  return counts.reduce((total, count) => (total === null || count === null ? null : total + count), 0);
}

function recoveryOf(rounds: readonly Round[]): FaultResult['recovery'] {
  const times = rounds.flatMap(({ recoveredMs }) => (recoveredMs === null ? [] : [recoveredMs]));
  if (times.length === 0) return null;
  const recovered = times.filter((time) => time !== 'never');
  // A round that never recovered took longer than any other.
  const p50 = quantile(
    times.map((time) => (time === 'never' ? Number.POSITIVE_INFINITY : time)),
    0.5,
  );
  return {
    p50Ms: Number.isFinite(p50) ? Math.round(p50) : null,
    maxMs: recovered.length === 0 ? null : Math.round(Math.max(...recovered)),
    never: times.length - recovered.length,
  };
}

/** docs/reliability.md with the results of the last run of each suite. */
export function renderReliability(page: string, records: readonly ChaosRecord[]): string {
  const contents = records.map((record) => {
    const faults = record.faults.length === 0 ? '' : renderFaults(record.faults);
    return [record.suite, paragraphs(describeRun(record, record), describeFailure(record), faults)] as const;
  });
  return renderRegions(page, new Map(contents));
}

function renderFaults(faults: readonly FaultResult[]): string {
  return table(
    [
      { title: 'fault' },
      ...['rounds', 'lost', 'duplicated'].map((title) => ({ title, isNumber: true }) as const),
      { title: 'time to recover (p50 / longest)', isNumber: true },
      { title: 'result' },
    ],
    faults.map((fault) => [
      fault.name,
      String(fault.rounds),
      // A dash, not a zero, where nothing is counted.
      String(fault.lost ?? '–'),
      String(fault.duplicated ?? '–'),
      describeRecovery(fault.recovery),
      describeResult(fault),
    ]),
  );
}

function describeRecovery(recovery: FaultResult['recovery']): string {
  if (recovery === null) return '–';
  const { p50Ms, maxMs, never } = recovery;
  const longest = never > 0 ? `never in ${never} rounds` : inSeconds(maxMs);
  return `${inSeconds(p50Ms)} / ${longest}`;
}

function inSeconds(ms: number | null): string {
  return ms === null ? '–' : `${(ms / 1_000).toFixed(1)} s`;
}

function describeResult({ rounds, failed, remark }: FaultResult): string {
  const result = failed === 0 ? 'passed' : `**failed** in ${failed} of ${rounds}`;
  return remark === undefined ? result : `${result}: ${remark}`;
}
