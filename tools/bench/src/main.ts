import { fileURLToPath } from 'node:url';
import { loadConfigOrExit, setting } from '@pets/platform';
import { z } from 'zod';
import { describeFigure, evaluateFigure } from './measured/evaluate-figure.js';
import type { BenchRecord } from './measured/record.js';
import { describeCommand, recordRun } from './measured/record-run.js';
import { runSuite } from './measured/run-suite.js';
import { writePerformance, writeRecord } from './measured/store.js';
import type { Told } from './suite-main.js';
import { suiteNames, suites, type SuiteName } from './suites.js';

/**
 * `npm run bench -- SUITE`, or all suites, one after the other. Measures ours and the others in one run, in turns, and
 * prints one line `ratio NAME VALUE` a figure: only ratios hold on machines that others use too. What was seen replaces
 * the suite's record in docs/measured, and docs/performance.md is made anew. Exit 1 when a bar is missed or a suite
 * fails, which does not end the others.
 */
const { BENCH_WRITE: isWritten } = loadConfigOrExit(
  z.object({
    /** `no` for a trial run, of which nothing is kept. */
    BENCH_WRITE: setting.flag().default(true),
  }),
);

const wanted = process.argv[2];
const chosen = suiteNames.filter((name) => wanted === undefined || name === wanted);
if (chosen.length === 0) {
  process.stderr.write(`there is no suite ${wanted ?? ''}; there are: ${suiteNames.join(', ')}\n`);
  process.exit(1);
}
for (const suite of chosen) {
  process.stdout.write(`== ${suite}\n`);
  const record = await measure(suite);
  for (const figure of record.figures) process.stdout.write(`${describeFigure(figure)}\n`);
  if (record.failed !== undefined) process.stdout.write(`failed: ${suite}: ${record.failed}\n`);
  if (record.failed !== undefined || record.figures.some(({ isMet }) => isMet === false)) process.exitCode = 1;
  if (!isWritten) continue;
  writeRecord('bench', record);
  writePerformance();
}

async function measure(suite: SuiteName): Promise<BenchRecord> {
  const { limitMinutes, programs } = suites[suite];
  const now = new Date();
  const program = fileURLToPath(new URL('suite-main.js', import.meta.url));
  const run = await runSuite<Told>({ program, args: [suite], limitMinutes });
  const settings = run.told.flatMap((told) => told.settings ?? []);
  const command = describeCommand(`npm run bench -- ${suite}`, settings);
  const figures = run.told.flatMap((told) => told.figures ?? []).map(evaluateFigure);
  return { ...recordRun({ suite, command, settings, programs, now }, run), figures };
}
