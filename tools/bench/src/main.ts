import { compareWith } from './against/compare-with.js';
import { UnusableBuildError } from './against/other-build.js';
import { renderPerformance } from './measured/performance-page.js';
import { benchRecord, type MeasuredSuite } from './measured/bench-record.js';
import { recordRun } from './measured/record.js';
import { readPage, readRecord, writePage, writeRecord } from './measured/store.js';
import { quickRecord } from './quick/quick-record.js';
import { runQuick } from './quick/run-quick.js';
import { runOneSuite } from './run-one-suite.js';
import { readArguments, UsageError } from './read-arguments.js';
import { programsOfSuites, suiteNames } from './suites.js';

/**
 * Benchmarks. Each measures ours and a peer in one run, alternating, and prints one line `ratio NAME VALUE` a figure: only
 * ratios are comparable between machines that others use too.
 *
 *   npm run bench                           all suites; replaces the record and its regions in docs/performance.md
 *   npm run bench -- SUITE                  one suite, of which nothing is kept
 *   npm run bench -- SUITE --against COMMIT this build and that of a commit in turns
 *   npm run bench -- quick                  counts and CPU times, compared with their record; at most six minutes
 *   npm run bench -- quick --record REASON  replaces their record
 *
 * Exit 1: a bar is missed, a suite failed, or the quick benchmark found something worse than its record. Exit 2: the
 * command is wrong, or the other commit cannot be built or started.
 */
try {
  await run();
} catch (error) {
  if (!(error instanceof UsageError || error instanceof UnusableBuildError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

async function run(): Promise<void> {
  const { suite, against, record } = readArguments(process.argv.slice(2));
  if (suite === undefined) return runAllSuites();
  if (suite === 'quick') {
    process.exitCode = await runQuick(record);
    if (record !== undefined) writePages();
    return;
  }
  if (against !== undefined) return compareWith(against, suite);
  await runOneSuite(suite);
}

/** The record is written after each suite, so that an interrupted run shows how far it came. */
async function runAllSuites(): Promise<void> {
  const run = recordRun(programsOfSuites, new Date());
  const suites: MeasuredSuite[] = [];
  for (const name of suiteNames) {
    suites.push(await runOneSuite(name));
    writeRecord('bench', { ...run, suites });
    writePages();
  }
}

function writePages(): void {
  const records = { bench: readRecord('bench', benchRecord), quick: readRecord('quick', quickRecord) };
  writePage('performance', renderPerformance(readPage('performance'), records));
}
