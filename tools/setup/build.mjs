/** Builds what is stale: for `npm start` without Nx, which comes with the checks. */
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { during } from './progress.mjs';
import { allProjects, pageProjects, root, startProjects } from './projects.mjs';
import { environmentWithOurNode, run } from './run.mjs';
import { readStamp, sourcesHash, writeStamp } from './stamp.mjs';

const BUILD_LIMIT_MS = 10 * 60_000;
const dashboard = join(root, 'apps/dashboard');

/** Builds by name: the label for the reader, the projects that are read, and the function that builds. */
const builds = {
  programs: { label: 'building the programs', projects: startProjects, build: buildPrograms },
  pages: { label: 'building the pages', projects: pageProjects, build: buildPages },
  all: { label: 'building what is stale', projects: allProjects, build: buildAll },
};
export const buildsOf = { start: ['programs', 'pages'], all: ['all'] };

export function isBuilt(name) {
  const projects = builds[name].projects();
  if (!projects.some(isBuiltProject)) return true;
  return readStamp()[name] === sourcesHash(projects) && projects.every(hasOutput);
}

/** @returns why it could not be done; null where it was, or was already */
export async function build(names) {
  const stale = names.filter((name) => !isBuilt(name));
  const results = await Promise.all(stale.map((name) => buildOne(name)));
  return results.find((failure) => failure !== null) ?? null;
}

async function buildOne(name) {
  const { label, projects, build: start } = builds[name];
  const sources = sourcesHash(projects());
  const { status, text } = await during(label, start);
  if (status !== 0) return `${text}${label} failed`;
  writeStamp({ ...readStamp(), [name]: sources });
  return null;
}

/** Incremental: the compiler keeps beside its output what it was made from. */
function buildPrograms() {
  const configs = startProjects().map((folder) => join(folder, 'tsconfig.lib.json'));
  return runNode(
    root,
    'node_modules/@typescript/native/bin/tsc',
    '--build',
    ...configs.filter((path) => existsSync(join(root, path))),
  );
}

function buildPages() {
  const vite = dirname(createRequire(join(dashboard, 'package.json')).resolve('vite/package.json'));
  return runNode(dashboard, join(vite, 'bin/vite.js'), 'build', '--logLevel=warn');
}

function buildAll() {
  const env = { ...environmentWithOurNode(), NX_DAEMON: 'false', NX_TUI: 'false' };
  const args = ['run-many', '-t', 'build'];
  return run(join(root, 'node_modules/.bin/nx'), args, { cwd: root, env, timeout: BUILD_LIMIT_MS });
}

function runNode(cwd, ...args) {
  const options = { cwd, env: environmentWithOurNode(), timeout: BUILD_LIMIT_MS };
  return run(join(root, 'node_modules/.bin/node'), args, options);
}

/** A library or a program that TypeScript builds, or pages that Vite does. */
function isBuiltProject(folder) {
  return ['tsconfig.lib.json', 'vite.config.ts'].some((name) => existsSync(join(root, folder, name)));
}

function hasOutput(folder) {
  return !isBuiltProject(folder) || !hasFiles(join(root, folder, 'src')) || hasFiles(join(root, folder, 'dist'));
}

function hasFiles(folder) {
  return existsSync(folder) && readdirSync(folder).length > 0;
}
