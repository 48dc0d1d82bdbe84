/**
 * Brings a clone to where it can run, and does nothing where there is nothing to do. Runs before `npm start`,
 * `npm run demo` and `npm test`, on any Node from 20.19 on and without dependencies: it is what installs them.
 *
 *   start   dependencies, then a build of what is stale
 *   test    dependencies, then the programs that some suites need (`npm test` builds on its own)
 *   interop the same, then the servers that only `npm run interop` needs
 *   bench   what `start` does, then the servers that `npm run bench -- edge` compares with
 *
 * What was done is stamped in `node_modules/.pets-setup.json`, so that a second start skips npm and Nx altogether.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { debianPrograms, installDebianPrograms } from './debian-programs.mjs';

const root = resolve(import.meta.dirname, '..');
const stampFile = join(root, 'node_modules/.pets-setup.json');
const workspaceFolders = ['apps', 'libs', 'tools'];
const madeFolders = new Set(['node_modules', 'dist', 'out-tsc', 'coverage', 'test', 'test-results']);
const rootBuildFiles = [
  'package.json',
  'package-lock.json',
  'nx.json',
  'tsconfig.base.json',
  'tsconfig.json',
  'docs/openapi.json',
];

const INSTALL_LIMIT_MS = 15 * 60_000;
const BUILD_LIMIT_MS = 10 * 60_000;

const mode = process.argv[2];
const programsFor = { start: [], ...debianPrograms };
if (!Object.hasOwn(programsFor, mode ?? '')) fail('usage: node tools/setup.mjs start|test|interop|bench');
// Beside each other: one waits for its registry and the other for its mirror.
const [failure] = await Promise.all([installDependencies(), installDebianPrograms(programsFor[mode], say)]);
if (failure !== null) fail(failure);
if (mode === 'start' || mode === 'bench') buildWhatIsStale();

/** Why it could not be done; null where it was, or was already. */
async function installDependencies() {
  if (readStamp().dependencies === dependenciesHash()) return null;
  say('installing dependencies (about a minute the first time)');
  // `npm ci` would refuse the lockfile where an optional package of another platform cannot be had. Warnings about
  // engines concern the Node that runs npm now, not the one that comes with the install and runs everything else.
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', '--include=dev', '--include=optional'];
  const npmCli = process.env.npm_execpath;
  const [command, first] = npmCli?.endsWith('npm-cli.js') ? [process.execPath, [npmCli]] : ['npm', []];
  const { status, error } = await run(command, [...first, ...args], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_LIMIT_MS,
  });
  if (status !== 0) return `npm install failed${error ? `: ${error.message}` : ''}`;
  writeStamp({ dependencies: dependenciesHash() });
  return null;
}

function buildWhatIsStale() {
  const sources = sourcesHash();
  if (readStamp().sources === sources && everyProjectIsBuilt()) return;
  say('building what is stale');
  const { status, stdout, stderr, error } = spawnSync(join(root, 'node_modules/.bin/nx'), ['run-many', '-t', 'build'], {
    cwd: root,
    env: { ...process.env, PATH: pathWithOurNode(), NX_DAEMON: 'false', NX_TUI: 'false' },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    timeout: BUILD_LIMIT_MS,
  });
  if (status !== 0) fail(`${stdout ?? ''}${stderr ?? ''}the build failed${error ? `: ${error.message}` : ''}`);
  writeStamp({ ...readStamp(), sources });
}

/** As `spawnSync`, while others go on. */
function run(command, args, options) {
  return new Promise((done) => {
    const child = spawn(command, args, options);
    child.once('error', (error) => done({ status: null, error }));
    child.once('close', (status) => done({ status }));
  });
}

/** Of everything that decides what is installed. */
function dependenciesHash() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  const manifests = workspaceProjects().map((folder) => join(folder, 'package.json'));
  for (const path of [join(root, 'package.json'), join(root, 'package-lock.json'), ...manifests]) {
    if (existsSync(path)) hash.update(path.slice(root.length)).update(readFileSync(path));
  }
  return hash.digest('hex');
}

/** Of every file a build may read, by time and size: a look at each is all it costs. */
function sourcesHash() {
  const hash = createHash('sha256');
  const note = (path) => {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path} ${mtimeMs} ${size}\n`);
  };
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!madeFolders.has(entry.name)) walk(path);
      } else if (entry.isFile()) note(path);
    }
  };
  for (const name of rootBuildFiles) if (existsSync(join(root, name))) note(join(root, name));
  for (const folder of workspaceProjects()) walk(folder);
  return hash.digest('hex');
}

function everyProjectIsBuilt() {
  return workspaceProjects().every(
    (folder) => !isBuiltProject(folder) || !hasFiles(join(folder, 'src')) || hasFiles(join(folder, 'dist')),
  );
}

/** A library or a program that TypeScript builds, or a page that Vite does. */
function isBuiltProject(folder) {
  return ['tsconfig.lib.json', 'vite.config.ts'].some((name) => existsSync(join(folder, name)));
}

function hasFiles(folder) {
  return existsSync(folder) && readdirSync(folder).length > 0;
}

function workspaceProjects() {
  return workspaceFolders
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((folder) => existsSync(join(folder, 'package.json')));
}

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'));
  } catch {
    return {}; // never set up, or node_modules was deleted
  }
}

function writeStamp(stamp) {
  writeFileSync(stampFile, JSON.stringify(stamp));
}

/** The Node that came with the dependencies goes first, whatever the machine has. */
function pathWithOurNode() {
  return [join(root, 'node_modules/.bin'), process.env.PATH ?? ''].join(delimiter);
}

function say(line) {
  process.stdout.write(`setup: ${line}\n`);
}

function fail(text) {
  process.stderr.write(`setup: ${text}\n`);
  process.exit(1);
}
