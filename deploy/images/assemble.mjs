/**
 * Assembles the contents of an image: one project, its libraries, and their runtime packages at the versions of the lock file.
 * Sources, tests, types, other apps and build tools are left out. The build itself needs them, since a project's tests belong
 * to its build graph.
 *
 *   node deploy/images/assemble.mjs PROJECT FOLDER      such as apps/pets-api /out/pets-api
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

const INSTALL_LIMIT_MS = 10 * 60_000;

const root = resolve(import.meta.dirname, '../..');
/** Built pages of another app that an app serves. */
const pagesOf = { 'apps/pets-api': 'apps/dashboard' };
const leftOut = /^(?:src|test|node_modules|out-tsc|test-results|tsconfig.*|jest\..*|vite\.config\..*)$/;
const notNeededToRun = /\.(?:tsbuildinfo|map|d\.ts)$/;

const [project, folder] = process.argv.slice(2);
if (project === undefined || folder === undefined) fail('usage: assemble.mjs PROJECT FOLDER');
const projects = projectsOf(project);
for (const [path, manifest] of projects) copyProject(path, manifest);
copyPages(pagesOf[project]);
writeRootManifest([...projects.keys()]);
installPackages();

/** The project and its direct and indirect libraries, by path, without those that only tests or builds need. */
function projectsOf(projectPath) {
  const pathOf = new Map(
    ['apps', 'libs', 'tools']
      .flatMap((kind) => readdirSync(join(root, kind)).map((name) => `${kind}/${name}`))
      .filter((path) => existsSync(join(root, path, 'package.json')))
      .map((path) => [readJson(join(path, 'package.json')).name, path]),
  );
  const found = new Map();
  const waiting = [projectPath];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    const manifest = readJson(join(path, 'package.json'));
    found.set(path, manifest);
    waiting.push(...Object.keys(manifest.dependencies ?? {}).flatMap((name) => pathOf.get(name) ?? []));
  }
  return found;
}

/** Optional packages of ours are programs of a development machine. */
function copyProject(path, { devDependencies, optionalDependencies, ...manifest }) {
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

/** A workspace of these projects with the complete lock file; npm keeps the needed part. */
function writeRootManifest(workspaces) {
  const { name, version, license, type } = readJson('package.json');
  mkdirSync(folder, { recursive: true });
  writeJson('package.json', { name, version, private: true, license, type, workspaces });
  copyFileSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/** No runtime package needs an installation script, so none runs. */
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
