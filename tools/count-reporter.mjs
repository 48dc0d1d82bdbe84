import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const root = join(import.meta.dirname, '..');

/** Lines of the message of a failed test that the sum repeats. */
const SHOWN_LINES = 12;

/**
 * Writes what was counted, how long each file took, and what failed, to `<PETS_TEST_RESULTS>/tests.json`, for the sum of
 * `tools/run-checks.mjs`. Without that variable it writes nothing: a single suite run by hand must not change the sum of
 * another run.
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
      failures: results.testResults.flatMap(failuresOf),
    };
    writeFileSync(join(dir, 'tests.json'), JSON.stringify(counts));
  }
}

/** `{test, message}` of each failed test of a file, or of the file when it could not be run. */
function failuresOf({ testFilePath, testExecError, testResults }) {
  const path = relative(root, testFilePath);
  const failed = testResults.filter(({ status }) => status === 'failed');
  return [
    ...(testExecError ? [{ test: path, message: shorten(testExecError.stack ?? testExecError.message ?? '') }] : []),
    ...failed.map(({ fullName, failureMessages }) => ({
      test: `${path}: ${fullName}`,
      message: shorten(failureMessages.join('\n')),
    })),
  ];
}

function shorten(message) {
  return stripVTControlCharacters(message).split('\n').slice(0, SHOWN_LINES).join('\n');
}
