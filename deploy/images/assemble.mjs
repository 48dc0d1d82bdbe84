/**
 * Puts together what an image holds: one app, the libraries that it depends on, and the packages of npm that they need
 * when they run, at the versions of the lockfile. Not in it: sources, tests, types, the other apps, and whatever is
 * needed to build or test. The build itself needs all of those, since a project's tests belong to its build graph.
 *
 *   node deploy/images/assemble.mjs APP FOLDER
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const INSTALL_LIMIT_MS = 10 * 60_000;

const root = resolve(import.meta.dirname, '../..');
/** What an app serves besides its own files: the built pages of another one. */
const pagesOf = { 'pets-api': 'apps/dashboard' };
const leftOut = /^(?:src|test|node_modules|out-tsc|test-results|tsconfig.*|jest\..*|vite\.config\..*)$/;
const notNeededToRun = /\.(?:tsbuildinfo|map|d\.ts)$/;

const [app, folder] = process.argv.slice(2);
if (app === undefined || folder === undefined) fail('usage: assemble.mjs APP FOLDER');
const projects = projectsOf(`apps/${app}`);
for (const [path, manifest] of projects) copyProject(path, manifest);
copyPages(pagesOf[app]);
writeRootManifest([...projects.keys()]);
installPackages();

/** The app and the libraries it depends on, near and far, by path. What only tests or builds need is not followed. */
function projectsOf(appPath) {
  const pathOf = new Map(
    ['apps', 'libs', 'tools']
      .flatMap((kind) => readdirSync(join(root, kind)).map((name) => `${kind}/${name}`))
      .filter((path) => existsSync(join(root, path, 'package.json')))
      .map((path) => [readJson(join(path, 'package.json')).name, path]),
  );
  const found = new Map();
  const waiting = [appPath];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const manifest = readJson(join(path, 'package.json'));
    found.set(path, manifest);
    waiting.push(...Object.keys(manifest.dependencies ?? {}).flatMap((name) => pathOf.get(name) ?? []));
  }
  return found;
}

function copyProject(path, { devDependencies, ...manifest }) {
  if (!existsSync(join(root, path, 'dist'))) fail(`${path} is not built`);
  cpSync(join(root, path), join(folder, path), {
    recursive: true,
    filter: (source) => {
      const isTopLevel = resolve(source, '..') === join(root, path);
      return !(isTopLevel && leftOut.test(basename(source))) && !notNeededToRun.test(source);
    },
  });
  writeJson(join(path, 'package.json'), manifest);
}

function copyPages(path) {
  if (path === undefined) return;
  if (!existsSync(join(root, path, 'dist/index.html'))) fail(`${path} is not built`);
  cpSync(join(root, path, 'dist'), join(folder, path, 'dist'), { recursive: true });
}

/** A workspace of just these projects; the lockfile is the whole one, of which npm keeps what is asked for here. */
function writeRootManifest(workspaces) {
  const { name, version, license, type } = readJson('package.json');
  mkdirSync(folder, { recursive: true });
  writeJson('package.json', { name, version, private: true, license, type, workspaces });
  copyFileSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/** No package that runs here needs a script of its own at install; not running any is one risk less. */
function installPackages() {
  const args = ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  const { status, error } = spawnSync('npm', args, { cwd: folder, stdio: 'inherit', timeout: INSTALL_LIMIT_MS });
  if (status !== 0) fail(`npm install failed${error ? `: ${error.message}` : ''}`);
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), 'utf8'));
}

function writeJson(path, value) {
  writeFileSync(join(folder, path), `${JSON.stringify(value, null, 2)}\n`);
}

function fail(text) {
  process.stderr.write(`assemble: ${text}\n`);
  process.exit(1);
}
