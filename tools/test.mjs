/** `npm test`: every check there is, but for tests that need servers of `npm run interop`. */
import { lintStage, runChecks, testStage, workspaceStage } from './run-checks.mjs';

await runChecks('test', [
  [[workspaceStage]],
  [
    [
      // All projects in one process, which reads the types of what they share once: half the time of one each.
      lintStage(['.'], { nodeOptions: '--max-old-space-size=6144' }),
    ],
    [
      { name: 'format', tool: 'prettier', args: ['--check', '--log-level=warn', '.'] },
      { name: 'nothing unused', tool: 'knip', args: [] },
      // By one thread, which is hardly slower while lint has the other core, and half the work of several.
      { name: 'typecheck', tool: 'tsc', args: ['--build', '--singleThreaded'] },
      { name: 'build', tool: 'nx', args: ['run-many', '-t', 'build'] },
    ],
  ],
  [[testStage('tools/jest-pool.config.mjs')]],
]);
