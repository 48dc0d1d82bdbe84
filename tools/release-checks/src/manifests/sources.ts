import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY } from '../repository.js';
import { OBSERVABILITY } from './derived-files.js';

const folders = ['deploy/kubernetes', OBSERVABILITY];
/** Alerts are tested, not rendered; the rule that is rendered has them. */
const isRendered = (path: string) => !/\/alerts[\w.-]*\.yml$/.test(path);

/** SHA-256 over the names and texts of all files that manifests are rendered from, in hex. */
async function digestOfSources(): Promise<string> {
  const digest = createHash('sha256');
  for (const folder of folders) {
    const entries = await readdir(join(REPOSITORY, folder), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const file of files.filter(isRendered).sort()) {
      digest.update(JSON.stringify([file.slice(REPOSITORY.length), await readFile(file, 'utf8')]));
    }
  }
  return digest.digest('hex');
}

/** The first line of a rendering: what it was made from. */
export async function sourcesLine(): Promise<string> {
  return `# Rendered by "npm run manifests" from sources with SHA-256 ${await digestOfSources()}.\n`;
}
