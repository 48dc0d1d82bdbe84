import { fileURLToPath } from 'node:url';
import { edgeSchema, edgeSettings } from './edge/settings.js';
import { settings, settingsSchema } from './engine/settings.js';
import { describeFigure, evaluateFigure, type Figure } from './figure.js';
import type { MeasuredSuite } from './measured/bench-record.js';
import { describeCommand, recordSuite } from './measured/record.js';
import { runSuite } from './measured/run-suite.js';
import { rowsSchema, rowsSettings } from './rows/settings.js';
import { scaleSchema, scaleSettings } from './scale/settings.js';
import { suites, type SuiteName } from './suites.js';

/** Runs a suite and prints its figures. Sets the exit code 1 when a bar is missed or the suite fails. */
export async function runOneSuite(suite: SuiteName): Promise<MeasuredSuite> {
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

const used = { ...settings, ...edgeSettings, ...scaleSettings, ...rowsSettings };
const defaults = {
  ...settingsSchema.parse({}),
  ...edgeSchema.parse({}),
  ...scaleSchema.parse({}),
  ...rowsSchema.parse({}),
};
