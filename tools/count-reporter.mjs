import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Writes each project's counts to `test-results/<project>.json`, which `tools/test.mjs` adds up in its last line. */
export default class CountReporter {
  constructor(globalConfig) {
    this.rootDir = globalConfig.rootDir;
  }

  onRunComplete(_contexts, results) {
    const dir = join(import.meta.dirname, '..', 'test-results');
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
