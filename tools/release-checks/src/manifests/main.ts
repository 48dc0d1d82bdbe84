/** `npm run manifests`: writes the files that are derived, and renders every overlay again into those that the checks read. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { REPOSITORY } from '../repository.js';
import { deriveFiles, sourcesLine } from './derived-files.js';
import { overlays, render, renderedFile } from './manifest.js';

for (const [path, text] of await deriveFiles('dist')) await write(join(REPOSITORY, path), text);
for (const overlay of overlays) await write(renderedFile(overlay), (await sourcesLine()) + (await render(overlay)));

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
