/** `npm run manifests`: renders every overlay again into the files that the checks read. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { overlays, render, renderedFile } from './render.js';
import { sourcesLine } from './sources.js';

for (const overlay of overlays) {
  await mkdir(dirname(renderedFile(overlay)), { recursive: true });
  await writeFile(renderedFile(overlay), (await sourcesLine()) + (await render(overlay)));
}
