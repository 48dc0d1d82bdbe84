import { describeFailure, describeRun, paragraphs, renderRegions, table } from '@pets/bench/measured';
import type { ChaosRecord, FaultResult } from './record.js';

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
