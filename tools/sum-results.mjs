/**
 * Adds the sums of the named runs of `tools/run-checks.mjs`, as one last line `N passed, N failed`, below the time of each
 * stage, the slowest test files, and each failed test with the beginning of its message. A run without a sum did not come to
 * its end, which counts as a failure.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { sentence } from './run-checks.mjs';
import { describeTimings } from './timings.mjs';

const ofNoRun = { passed: 0, failed: 1, skipped: 0, files: [], stages: [], failures: [] };
const runs = process.argv.slice(2).map((name) => {
  const file = resolve(import.meta.dirname, '../test-results/sums', `${name}.json`);
  return { name, ...(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : ofNoRun) };
});
const total = (kind) => runs.reduce((sum, run) => sum + run[kind], 0);
const sum = { passed: total('passed'), failed: total('failed'), skipped: total('skipped') };
const stages = runs.flatMap(({ name, stages: ofRun }) =>
  ofRun.map((stage) => ({ ...stage, name: `${name}: ${stage.name}` })),
);
process.stdout.write(
  `\n${describeTimings(
    stages,
    runs.flatMap(({ files }) => files),
  ).join('\n')}\n`,
);
for (const { test, message } of runs.flatMap(({ failures }) => failures))
  process.stdout.write(`\nfailed: ${test}\n${message.replaceAll(/^/gm, '    ')}\n`);
for (const run of runs)
  if (run.stages.length === 0) process.stdout.write(`failed: ${run.name} did not come to its end\n`);
process.stdout.write(`${sentence(sum)}\n`);
if (sum.failed > 0) process.exitCode = 1;
