/**
 * Mutation testing of the decisions: `npm run mutate` (tools/mutate.mjs) runs this and writes docs/mutation.md.
 * @type {import('@stryker-mutator/api/core').PartialStrykerOptions}
 */
export default {
  testRunner: 'pure',
  plugins: [new URL('../../tools/mutation-runner.mjs', import.meta.url).href],
  // As in jest.preset.js: tests read the sources of every library.
  testRunnerNodeArgs: ['--conditions=@pets/source'],
  // Each mutant's load stays in memory.
  maxTestRunnerReuse: 200,
  // A busy machine is no change that hangs; Stryker itself ends a loop that a change makes endless.
  timeoutMS: 15_000,
  coverageAnalysis: 'perTest',
  // The table of docs/mutation.md has every file that is included.
  mutate: ['src/**/*.ts', '!src/**/*.spec.ts', '!src/**/*.d.ts', '!src/**/index.ts', '!src/**/*example*.ts'],
  ignorePatterns: ['dist', 'out-tsc'],
  // A sandbox in it stands as deep in the repository as this folder, so that relative paths out of it hold.
  tempDirName: '../../.mutation',
  cleanTempDir: 'always',
  concurrency: 2,
  reporters: ['progress-append-only', 'json', 'html'],
  jsonReporter: { fileName: '../../test-results/mutation/report.json' },
  htmlReporter: { fileName: '../../test-results/mutation/report.html' },
  allowEmpty: false,
};
