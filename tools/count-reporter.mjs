import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');

/**
 * Writes what was counted, and how long each file took, to `<PETS_TEST_RESULTS>/tests.json`, for the sum of `tools/run-checks.mjs`. Without that variable
 * it writes nothing: a single suite run by hand must not change the sum of another run.
 */
export default class CountReporter {
  onRunComplete(_contexts, results) {
    const dir = process.env.PETS_TEST_RESULTS;
    if (!dir) return;
    mkdirSync(dir, { recursive: true });
    const broken = results.testResults.filter((file) => file.testExecError).length;
    const counts = {
      passed: results.numPassedTests,
      failed: results.numFailedTests + broken,
      skipped: results.numPendingTests + results.numTodoTests,
      files: results.testResults.map(({ testFilePath, perfStats }) => ({
        path: relative(root, testFilePath),
        seconds: perfStats.runtime / 1_000,
      })),
    };
    writeFileSync(join(dir, 'tests.json'), JSON.stringify(counts));
  }
}
