import { fileURLToPath } from 'node:url';
import { readMachine } from '../measured/machine.js';
import { readRecord, recordRun, writeRecord } from '../measured/record.js';
import { runSuite } from '../measured/run-suite.js';
import { compareWithRecord, type Compared, type Verdict } from './compare-record.js';
import { quickRecord, type QuickRecord, type Reading } from './reading.js';

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
