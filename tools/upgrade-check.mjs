/**
 * `npm run upgrade-check -- COMMIT`: starts several of each service from the build of another commit, replaces them by this
 * checkout and back under load, and fails when a request, an event or a webhook is lost.
 */
import { spawnSync } from 'node:child_process';
import { openOtherBuild, UnusableBuildError } from './bench/dist/against/other-build.js';

const [commit] = process.argv.slice(2);
if (commit === undefined) {
  process.stderr.write('Usage: npm run upgrade-check -- COMMIT\n');
  process.exit(2);
}
try {
  const env = { ...process.env, PETS_FIRST_BUILD: openOtherBuild(commit).folder };
  const args = ['apps/system-tests/test/rolling-restart.test.ts'];
  process.exitCode = spawnSync('jest', args, { env, stdio: 'inherit' }).status ?? 1;
} catch (error) {
  if (!(error instanceof UnusableBuildError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
