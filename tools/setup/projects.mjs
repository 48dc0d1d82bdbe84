/** Our projects, as their package.json files describe them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '../..');

/** Projects that `npm start` runs, besides the libraries that these need. */
const started = [
  'apps/pets-api',
  'apps/domains-worker',
  'apps/edge',
  'apps/dashboard',
  'apps/cli',
  'tools/dev-stack',
].filter((folder) => existsSync(join(root, folder, 'package.json')));

/** Folders of all projects, from the root. */
export function allProjects() {
  return ['apps', 'libs', 'tools']
    .filter((group) => existsSync(join(root, group)))
    .flatMap((group) => readdirSync(join(root, group)).map((name) => `${group}/${name}`))
    .filter((folder) => existsSync(join(root, folder, 'package.json')))
    .sort();
}

/**
 * Projects that `npm start` runs, and is built with: TypeScript also builds the libraries of tests that it refers to.
 */
export function startProjects() {
  return closure(started, ({ dependencies, devDependencies }) => ({ ...dependencies, ...devDependencies }));
}

/** Projects from which the pages of the dashboard are built. */
export function pageProjects() {
  return closure(
    started.filter((folder) => folder === 'apps/dashboard'),
    ({ dependencies }) => dependencies,
  );
}

export function readManifest(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

export function projectsByName() {
  return new Map(allProjects().map((folder) => [readManifest(folder).name, folder]));
}

function closure(folders, dependenciesOf) {
  const byName = projectsByName();
  const found = new Set(folders);
  for (const folder of found) {
    for (const name of Object.keys(dependenciesOf(readManifest(folder)) ?? {})) {
      if (byName.has(name)) found.add(byName.get(name));
    }
  }
  return [...found].sort();
}
