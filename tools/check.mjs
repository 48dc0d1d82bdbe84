/**
 * `npm run check`: what can be checked in a minute. Types; lint and format of the files that differ from the main branch; and
 * the checks of sources, words, settings and generated files.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { lintStage, runChecks, testStage, workspaceStage } from './run-checks.mjs';

const root = resolve(import.meta.dirname, '..');
const git = (...args) =>
  execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n')
    .filter(Boolean);

/** Commit at which this work began: at the remote's main branch, or the last one where there is none. */
function base() {
  try {
    return git('merge-base', 'HEAD', 'origin/main')[0];
  } catch {
    return 'HEAD';
  }
}

const changed = [
  ...git('diff', '--name-only', '--diff-filter=d', base()),
  ...git('ls-files', '--others', '--exclude-standard'),
].filter((file) => existsSync(join(root, file)));
const sources = changed.filter((file) => /\.(?:ts|tsx|mjs|js)$/.test(file));
const cheapTests = [
  'tools/release-checks/test/(sources|recipes|words|settings|client-schema|pages|dependencies)',
  'libs/(domains|contracts)/test',
  'libs/persistence/src',
  'apps/pets-api/test/http/openapi.test',
];

const tests = testStage('tools/jest-pool.config.mjs');
await runChecks('check', [
  [[workspaceStage]],
  [
    [
      { name: 'typecheck', tool: 'tsc', args: ['--build'] },
      ...(sources.length > 0 ? [lintStage(['--no-warn-ignored', ...sources])] : []),
    ],
    [
      ...(changed.length > 0
        ? [{ name: 'format', tool: 'prettier', args: ['--check', '--ignore-unknown', '--log-level=warn', ...changed] }]
        : []),
      { ...tests, isLive: false, args: [...cheapTests, ...tests.args] },
    ],
  ],
]);
