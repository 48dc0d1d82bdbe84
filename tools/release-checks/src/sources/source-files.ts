import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { REPOSITORY } from '../repository.js';

/** What others have written, and what programs make and nobody commits. */
const passedOver = new Set(['node_modules', 'dist', 'out-tsc', 'test-results']);

/** Files that are made, each from what stands in its first lines. */
const generated = new Set(['libs/client/src/schema.ts']);

/** Every file of the repository with its path from there, without what begins with a dot. */
export function listFiles(folder = ''): readonly string[] {
  return readdirSync(join(REPOSITORY, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || passedOver.has(entry.name)) return [];
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    return entry.isDirectory() ? listFiles(path) : [path];
  });
}

/** The programs, tests and style sheets that people write. */
export function listSources(): readonly string[] {
  return listFiles().filter((path) => /\.(tsx?|mjs|js|css)$/.test(path) && !generated.has(path));
}
