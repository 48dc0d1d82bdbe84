import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/**
 * Writes each project's counts to `<PETS_TEST_RESULTS>/<project>.json`, which `tools/test.mjs` adds up in its last
 * line. Without that variable it writes nothing: a single suite run by hand must not change the sum of another run.
 */
export default class CountReporter {
  constructor(globalConfig) {
    this.rootDir = globalConfig.rootDir;
  }

  onRunComplete(_contexts, results) {
    const dir = process.env.PETS_TEST_RESULTS;
    if (!dir) return;
    mkdirSync(dir, { recursive: true });
    const broken = results.testResults.filter((file) => file.testExecError).length;
    const counts = {
      passed: results.numPassedTests,
      failed: results.numFailedTests + broken,
      skipped: results.numPendingTests + results.numTodoTests,
    };
    writeFileSync(join(dir, `${basename(this.rootDir)}.json`), JSON.stringify(counts));
  }
}
