/** Record of what was done already: `node_modules/.pets-setup.json`, which goes wherever node_modules goes. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { allProjects, root } from './projects.mjs';

const NAME = '.pets-setup.json';
const madeFolders = new Set(['node_modules', 'dist', 'out-tsc', 'coverage', 'test', 'test-results']);
const rootBuildFiles = [
  'package.json',
  'package-lock.json',
  'nx.json',
  'tsconfig.base.json',
  'tsconfig.json',
  'docs/openapi.json',
];

/**
 * Hashes of what was installed and of what each build was made from; the group, when npm had installed it, and the folders
 * of its packages.
 * @returns {{ dependencies?: string, group?: 'start' | 'all', packages?: number, installed?: string[], programs?: string, pages?: string, all?: string }}
 */
export function readStamp() {
  try {
    return JSON.parse(readFileSync(join(root, 'node_modules', NAME), 'utf8'));
  } catch {
    return {}; // never set up, or node_modules was deleted
  }
}

export function writeStamp(stamp, folder = join(root, 'node_modules')) {
  writeFileSync(join(folder, NAME), JSON.stringify(stamp));
}

export function removeStamp() {
  rmSync(join(root, 'node_modules', NAME), { force: true });
}

/** Hash of everything that decides what is installed. */
export function dependenciesHash() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  const manifests = allProjects().map((folder) => `${folder}/package.json`);
  for (const path of ['package.json', 'package-lock.json', ...manifests]) {
    if (existsSync(join(root, path))) hash.update(path).update(readFileSync(join(root, path)));
  }
  return hash.digest('hex');
}

/** Hash of every file that a build of these projects may read, by time and size, so no content is read. */
export function sourcesHash(projects) {
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
  for (const folder of projects) walk(join(root, folder));
  return hash.digest('hex');
}
