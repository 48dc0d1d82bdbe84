import { fileURLToPath } from 'node:url';
import { loadConfigOrExit, setting } from '@pets/platform';
import { z } from 'zod';
import { edgeSchema, edgeSettings } from './edge/settings.js';
import { settings, settingsSchema } from './engine/settings.js';
import { describeFigure, evaluateFigure, type Figure } from './figure.js';
import { renderPerformance } from './measured/performance-page.js';
import { benchRecord, describeCommand, recordRun, type BenchRecord } from './measured/record.js';
import { runSuite } from './measured/run-suite.js';
import { readPage, readRecords, writePage, writeRecord } from './measured/store.js';
import { rowsSchema, rowsSettings } from './rows/settings.js';
import { scaleSchema, scaleSettings } from './scale/settings.js';
import { suiteNames, suites, type SuiteName } from './suites.js';

/**
 * `npm run bench -- SUITE`, or all suites, one after the other. Measures ours and the others in one run, alternating, and
 * prints one line `ratio NAME VALUE` a figure: only ratios are comparable between machines that others use too. The results
 * replace the suite's record in docs/measured and its region in docs/performance.md. Exit 1 when a bar is missed or a suite
 * fails, which does not end the others.
 */
const { BENCH_WRITE: isWritten } = loadConfigOrExit(
  z.object({
    /** `no` for a trial run, whose results are not kept. */
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
  writePage('performance', renderPerformance(readPage('performance'), readRecords('bench', benchRecord)));
}

async function measure(suite: SuiteName): Promise<BenchRecord> {
  const { limitMinutes, programs, settings: names } = suites[suite];
  const now = new Date();
  const program = fileURLToPath(new URL('suite-main.js', import.meta.url));
  const run = await runSuite<Figure>({ program, args: [suite], limitMinutes });
  const defaults = {
    ...settingsSchema.parse({}),
    ...edgeSchema.parse({}),
    ...scaleSchema.parse({}),
    ...rowsSchema.parse({}),
  };
  const command = describeCommand(
    `npm run bench -- ${suite}`,
    names,
    { ...settings, ...edgeSettings, ...scaleSettings, ...rowsSettings },
    defaults,
  );
  return { ...recordRun({ suite, command, programs, now }, run), figures: run.reports.map(evaluateFigure) };
}
