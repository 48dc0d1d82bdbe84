import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { REPOSITORY } from '../repository.js';

const FOLDER = join(REPOSITORY, 'deploy/kubernetes');

/** SHA-256 over the names and texts of all files that manifests are rendered from, in hex. */
async function digestOfSources(): Promise<string> {
  const digest = createHash('sha256');
  const entries = await readdir(FOLDER, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.sort()) {
    const text = await readFile(file, 'utf8');
    digest.update(JSON.stringify([file.slice(FOLDER.length), text]));
  }
  return digest.digest('hex');
}

/** The first line of a rendering: what it was made from. */
export async function sourcesLine(): Promise<string> {
  return `# Rendered by "npm run manifests" from sources with SHA-256 ${await digestOfSources()}.\n`;
}
