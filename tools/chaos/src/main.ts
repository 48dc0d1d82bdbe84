import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import {
  describeCommand,
  readPage,
  recordRun,
  recordSuite,
  runSuite,
  writePage,
  writeRecord,
} from '@pets/bench/measured';
import { loadConfigOrExit, setting } from '@pets/platform';
import { z } from 'zod';
import { readChaosRecords, recordName, renderReliability, summarize, type ChaosRecord } from './record.js';
import { suiteNames, suites, type Round, type SuiteName } from './round.js';

const DEFAULT_ROUNDS = 5;
const DEFAULT_CUTOVER_SECONDS = 60;

/**
 * `npm run chaos -- SUITE [NAME]`, or all suites. Breaks one thing after the other while the product works, and prints one
 * line a round: `PASS NAME`, or `FAIL NAME` with the reasons. The results replace the suite's record in docs/measured and
 * its region in docs/reliability.md; those of a single fault are not kept. Exit 1 when a round failed or a suite did not
 * complete, which does not end the others. Everything random follows from `CHAOS_SEED`, which is printed.
 */
const settings = loadConfigOrExit(
  z.object({
    CHAOS_SEED: setting.integer().default(randomInt(2 ** 31)),
    CHAOS_ROUNDS: setting.integer().pipe(z.int().min(1)).default(DEFAULT_ROUNDS),
    /** How long visitors come after a name was switched, in the suite "cutover". */
    CUTOVER_SECONDS: setting.integer().pipe(z.int().min(3).max(600)).default(DEFAULT_CUTOVER_SECONDS),
    /** `no` for a trial run, whose results are not kept. */
    CHAOS_WRITE: setting.flag().default(true),
  }),
);
const { CHAOS_SEED: seed, CHAOS_ROUNDS: rounds } = settings;

/** A multiple of the time that fixtures take to start, and that a round of each fault takes, on a slow machine. */
const START_LIMIT_MINUTES = 20;
const ROUND_LIMIT_MINUTES = 15;

const [wanted, only] = process.argv.slice(2);
const chosen = suiteNames.filter((name) => wanted === undefined || name === wanted);
if (chosen.length === 0) {
  process.stderr.write(`there is no suite ${wanted ?? ''}; there are: ${suiteNames.join(', ')}\n`);
  process.exit(1);
}
process.stdout.write(`seed ${seed}\n`);
for (const suite of chosen) {
  process.stdout.write(`== ${suite}\n`);
  const record = await play(suite);
  if (record.failed !== undefined) process.stdout.write(`failed: ${suite}: ${record.failed}\n`);
  if (record.failed !== undefined || record.faults.some(({ failed }) => failed > 0)) process.exitCode = 1;
  if (!settings.CHAOS_WRITE || only !== undefined) continue;
  writeRecord(recordName(suite), record);
  writePage('reliability', renderReliability(readPage('reliability'), readChaosRecords()));
}

async function play(suite: SuiteName): Promise<ChaosRecord> {
  const now = new Date();
  const run = await runSuite<Round>({
    program: fileURLToPath(new URL('suite-main.js', import.meta.url)),
    args: [
      suite,
      String(seed),
      String(rounds),
      String(settings.CUTOVER_SECONDS),
      ...(only === undefined ? [] : [only]),
    ],
    limitMinutes: START_LIMIT_MINUTES + ROUND_LIMIT_MINUTES * rounds,
  });
  const names = ['CHAOS_SEED', 'CHAOS_ROUNDS', 'CUTOVER_SECONDS'];
  const defaults = { CHAOS_ROUNDS: DEFAULT_ROUNDS, CUTOVER_SECONDS: DEFAULT_CUTOVER_SECONDS };
  const command = describeCommand(`npm run chaos -- ${suite}`, names, settings, defaults);
  // The table has the rounds that passed.
  const failures = run.lines.filter((line) => line.startsWith('FAIL '));
  return {
    ...recordSuite(suite, command, { ...run, lines: failures }),
    ...recordRun(suites[suite].programs, now),
    faults: summarize(run.reports),
  };
}
