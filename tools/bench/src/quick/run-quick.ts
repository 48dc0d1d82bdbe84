import { fileURLToPath } from 'node:url';
import { readMachine, readRecord, recordRun, writeRecord } from '../measured/record.js';
import { runSuite } from '../measured/run-suite.js';
import { describeCost, describeCount, quickRecord, type QuickRecord, type Reading } from './reading.js';

/** A multiple of its time on an idle machine. */
const LIMIT_MINUTES = 20;
const programs = ['PostgreSQL', 'Redis', 'Pebble'] as const;

/**
 * Runs the quick benchmark and prints what became worse or better than the record, and by how much.
 * @param reason makes this run the record
 * @returns the exit code
 */
export async function runQuick(reason?: string): Promise<0 | 1> {
  const program = fileURLToPath(new URL('quick-main.js', import.meta.url));
  const now = new Date();
  const { reports, seconds, failed } = await runSuite<Reading>({ program, args: [], limitMinutes: LIMIT_MINUTES });
  if (failed !== undefined) {
    print(`failed: quick: ${failed}`);
    return 1;
  }
  const record = readRecord('quick', quickRecord);
  const isWorse = record === null ? false : compare(record, reports, seconds);
  if (reason === undefined) {
    if (record === null) print('there is no record: --record REASON makes this run the record');
    return isWorse ? 1 : 0;
  }
  writeRecord('quick', { ...recordRun(programs, now), ...toRecord(reports), reason, seconds } satisfies QuickRecord);
  return 0;
}

/** @returns whether something is worse than the record */
function compare(record: QuickRecord, readings: readonly Reading[], seconds: number): boolean {
  const { processor } = readMachine([]);
  const compared = compareWithRecord(record, readings, processor);
  const having = (verdict: Verdict): readonly Compared[] => compared.filter((each) => each.verdict === verdict);
  print(
    `== compared with ${record.commit?.id ?? record.date}${processor === record.machine.processor ? '' : `, recorded on another processor (${record.machine.processor})`}`,
  );
  for (const verdict of ['unmeasured', 'new', 'better', 'worse'] as const) {
    for (const { name, text } of having(verdict)) print(`${verdict.padEnd(10)} ${name} ${text}`);
  }
  const sums = (['worse', 'better', 'same', 'new', 'unmeasured'] as const).map(
    (verdict) => `${having(verdict).length} ${verdict}`,
  );
  print(`${sums.join(', ')} after ${seconds} s`);
  if (having('worse').length > 0) {
    print(
      'find the cause, or say in the description of the change why it is worth it, and run: npm run bench -- quick --record REASON',
    );
  }
  return having('worse').length > 0;
}

function toRecord(readings: readonly Reading[]): Pick<QuickRecord, 'counts' | 'costs'> {
  return {
    counts: readings.flatMap((each) => (each.kind === 'count' ? [{ name: each.name, value: round(each.value) }] : [])),
    costs: readings.flatMap((each) =>
      each.kind === 'cost' ? [{ name: each.name, ratio: round(each.ratio), spread: round(each.spread) }] : [],
    ),
  };
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

type Verdict = 'worse' | 'better' | 'same' | 'new' | 'unmeasured';

/** A figure of this run beside that of the record. */
interface Compared {
  readonly name: string;
  readonly verdict: Verdict;
  /** The line that is printed. */
  readonly text: string;
}

const COUNT_TOLERANCE = 0.05;
/** Something in the background that falls into a run is that much of one operation, or that many bytes. */
const COUNT_SLACK = 0.05;
const BYTES_SLACK = 32;
/** A ratio of CPU times may move within three standard deviations, which is almost all that chance does. */
const DEVIATIONS = 3;
const LEAST_COST_TOLERANCE = 0.15;
/** Processors differ: the same build needed 18 % more of the peer's time on one kind than on another. */
const COST_TOLERANCE_ELSEWHERE = 0.25;

/** Compares a run with the record. What the record has and the run lacks is unmeasured. */
export function compareWithRecord(
  record: QuickRecord,
  readings: readonly Reading[],
  processor: string,
): readonly Compared[] {
  const tolerance = processor === record.machine.processor ? LEAST_COST_TOLERANCE : COST_TOLERANCE_ELSEWHERE;
  const compared = readings.map((reading) => compareOne(record, reading, tolerance));
  const names = new Set(readings.map(({ name }) => name));
  const missing = [...record.counts, ...record.costs].filter(({ name }) => !names.has(name));
  return [
    ...compared,
    ...missing.map(({ name }) => ({ name, verdict: 'unmeasured', text: 'this run has no such figure' }) as const),
  ];
}

function compareOne(record: QuickRecord, reading: Reading, leastTolerance: number): Compared {
  const { name, kind } = reading;
  if (kind === 'unmeasured') return { name, verdict: 'unmeasured', text: reading.reason };
  if (kind === 'count') {
    const known = record.counts.find((count) => count.name === name);
    if (known === undefined) return { name, verdict: 'new', text: describeCount(reading.value) };
    const slack = name.endsWith('-bytes') ? BYTES_SLACK : COUNT_SLACK;
    const change = { from: known.value, to: reading.value, tolerance: COUNT_TOLERANCE, slack };
    return {
      name,
      ...evaluateChange(change),
      text: describeChange(change, describeCount(known.value), describeCount(reading.value)),
    };
  }
  const known = record.costs.find((cost) => cost.name === name);
  if (known === undefined) return { name, verdict: 'new', text: describeCost(reading) };
  const deviation = Math.hypot(known.spread / known.ratio, reading.spread / reading.ratio);
  const tolerance = Math.max(leastTolerance, DEVIATIONS * deviation);
  const change = { from: known.ratio, to: reading.ratio, tolerance, slack: 0 };
  return { name, ...evaluateChange(change), text: describeChange(change, describeCost(known), describeCost(reading)) };
}

interface Change {
  readonly from: number;
  readonly to: number;
  /** A share of `from`. */
  readonly tolerance: number;
  /** An amount besides the tolerance. */
  readonly slack: number;
}

function evaluateChange({ from, to, tolerance, slack }: Change): { readonly verdict: Verdict } {
  if (to > from * (1 + tolerance) + slack) return { verdict: 'worse' };
  return { verdict: to < from * (1 - tolerance) - slack ? 'better' : 'same' };
}

function describeChange({ from, to, tolerance }: Change, before: string, now: string): string {
  const percent = (share: number) => (share * 100).toFixed(0);
  const growth = from === 0 ? '' : `${to >= from ? '+' : '−'}${percent(Math.abs(to / from - 1))} %, `;
  return `${before} → ${now} (${growth}limit ${percent(tolerance)} %)`;
}
