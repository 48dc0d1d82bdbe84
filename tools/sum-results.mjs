/**
 * Adds the sums of the named runs of `tools/run-checks.mjs`, as one last line `N passed, N failed`. A run without a sum did
 * not come to its end, which counts as a failure.
 */
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { sentence } from './run-checks.mjs';

const sum = { passed: 0, failed: 0, skipped: 0 };
for (const name of process.argv.slice(2)) {
  const file = resolve(import.meta.dirname, '../test-results/sums', `${name}.json`);
  const counts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { passed: 0, failed: 1, skipped: 0 };
  for (const kind of Object.keys(sum)) sum[kind] += counts[kind];
}
process.stdout.write(`${sentence(sum)}\n`);
if (sum.failed > 0) process.exitCode = 1;
