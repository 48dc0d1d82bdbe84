import { fileURLToPath } from 'node:url';
import { compareWith } from './against/compare-builds.js';
import { UnusableBuildError } from './against/other-build.js';
import { describeFigure, evaluateFigure, type Figure } from './figure.js';
import { renderPerformance } from './measured/performance-page.js';
import {
  benchRecord,
  describeCommand,
  readPage,
  readRecord,
  recordRun,
  recordSuite,
  writePage,
  writeRecord,
  type MeasuredSuite,
} from './measured/record.js';
import { runSuite } from './measured/run-suite.js';
import { quickRecord } from './quick/reading.js';
import { runQuick } from './quick/run-quick.js';
import {
  edgeSchema,
  edgeSettings,
  originSchema,
  originSettings,
  rowsSchema,
  rowsSettings,
  scaleSchema,
  scaleSettings,
  settings,
  settingsSchema,
} from './settings.js';
import { programsOfSuites, readArguments, suiteNames, suites, UsageError, type SuiteName } from './suites.js';

const used = { ...settings, ...edgeSettings, ...originSettings, ...scaleSettings, ...rowsSettings };
const defaults = {
  ...settingsSchema.parse({}),
  ...edgeSchema.parse({}),
  ...originSchema.parse({}),
  ...scaleSchema.parse({}),
  ...rowsSchema.parse({}),
};

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

/** Runs a suite and prints its figures. Sets the exit code 1 when a bar is missed or the suite fails. */
async function runOneSuite(suite: SuiteName): Promise<MeasuredSuite> {
  const { limitMinutes, settings: names } = suites[suite];
  process.stdout.write(`== ${suite}\n`);
  const program = fileURLToPath(new URL('suite-main.js', import.meta.url));
  const run = await runSuite<Figure>({ program, args: [suite], limitMinutes });
  const figures = run.reports.map(evaluateFigure);
  for (const figure of figures) process.stdout.write(`${describeFigure(figure)}\n`);
  if (run.failed !== undefined) process.stdout.write(`failed: ${suite}: ${run.failed}\n`);
  if (run.failed !== undefined || figures.some(({ isMet }) => isMet === false)) process.exitCode = 1;
  const command = describeCommand(`npm run bench -- ${suite}`, names, used, defaults);
  return { ...recordSuite(suite, command, run), figures };
}
