import { code, codeBlock, describeRun, fillRegions, regionsOf, table } from '@pets/bench/measured';
import type { ChaosRecord, FaultResult } from './record.js';

/** The region that tells of all suites. Every other region is named for its suite. */
const OVERVIEW = 'overview';

/**
 * Puts what was seen into docs/reliability.md, whose prose is written by hand.
 * @throws Error for a record that the page has no region for
 */
export function renderReliability(page: string, records: readonly ChaosRecord[]): string {
  const suites = regionsOf(page).filter((name) => name !== OVERVIEW);
  const homeless = records.find(({ suite }) => !suites.includes(suite));
  if (homeless !== undefined) throw new Error(`docs/reliability.md has no region for the suite ${homeless.suite}`);
  const recordOf = (suite: string) => records.find((record) => record.suite === suite);
  return fillRegions(page, (name) =>
    name === OVERVIEW ? renderOverview(suites, recordOf) : renderSuite(name, recordOf(name)),
  );
}

function renderOverview(suites: readonly string[], recordOf: (suite: string) => ChaosRecord | undefined): string {
  const rows = suites.map((suite) => {
    const record = recordOf(suite);
    if (record === undefined) return [suite, '', '', 'not tried yet', '', ''];
    const [rounds, failed] = (['rounds', 'failed'] as const).map((key) =>
      record.faults.reduce((total, fault) => total + fault[key], 0),
    );
    return [
      ...[suite, String(record.faults.length), String(rounds)],
      verdictOf(record, failed ?? 0),
      ...[code(record.commit?.id ?? ''), record.date],
    ];
  });
  const columns = [
    ...[{ title: 'suite' }, { title: 'faults', isNumber: true }, { title: 'rounds', isNumber: true }],
    ...[{ title: 'result' }, { title: 'commit' }, { title: 'date' }],
  ] as const;
  return table(columns, rows);
}

function verdictOf({ failed, carriedOver }: ChaosRecord, failedRounds: number): string {
  return [
    ...(failed === undefined ? [] : ['**failed**, not to its end']),
    ...(failedRounds > 0 ? [`**failed**: ${failedRounds} of the rounds`] : []),
    ...(failed === undefined && failedRounds === 0 ? ['passed'] : []),
    ...(carriedOver === undefined ? [] : ['carried over']),
  ].join('; ');
}

function renderSuite(suite: string, record: ChaosRecord | undefined): string {
  if (record === undefined) return `Not tried yet: ${code(`npm run chaos -- ${suite}`)} does it.`;
  const { seed, faults, lines } = record;
  return [
    `${describeRun(record)}${seed === undefined ? '' : `\n\nThe seed was ${seed}.`}`,
    ...(faults.length > 0 ? [renderFaults(faults)] : []),
    ...(lines.length > 0 ? [codeBlock(lines)] : []),
  ].join('\n\n');
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
      counted(fault.lost),
      counted(fault.duplicated),
      describeRecovery(fault.recovery),
      describeResult(fault),
    ]),
  );
}

/** What is not counted is a dash, and never a zero. */
function counted(count: number | null): string {
  return count === null ? '–' : String(count);
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
