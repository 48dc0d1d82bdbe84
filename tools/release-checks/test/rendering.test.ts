import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import { deriveFiles, sourcesLine } from '../src/manifests/derived-files.js';
import { canRender, overlays, parseManifests, render, renderedFile } from '../src/manifests/manifest.js';
import { REPOSITORY } from '../src/repository.js';

const missing = (await canRender()) ? null : 'kubectl 1.27 or later is not installed';
const derived = [...(await deriveFiles('src'))];

describe('what `npm run generate` has written', () => {
  it.each(overlays)('is from the sources of today, of %s', async (overlay) => {
    const checked = await readFile(renderedFile(overlay), 'utf8');
    expect(checked.slice(0, checked.indexOf('\n') + 1)).toBe(await sourcesLine());
  });

  it.each(derived)('is what %s follows from', async (path, text) => {
    expect(await readFile(join(REPOSITORY, path), 'utf8')).toBe(text);
  });

  it('leaves no copy of a dashboard that is gone', async () => {
    const copies = derived.map(([path]) => path).filter((path) => path.includes('/dashboards/'));
    const folder = dirname(copies[0] ?? '');
    const names = await readdir(join(REPOSITORY, folder));
    expect(names.map((name) => `${folder}/${name}`).sort()).toEqual(copies.sort());
  });
});

describeWhen(describe, 'the manifests that are checked', missing, () => {
  it.each(overlays)('are what kubectl renders, of %s', async (overlay) => {
    const checked = await readFile(renderedFile(overlay), 'utf8');
    expect(parseManifests(await render(overlay))).toEqual(parseManifests(checked));
  });
});
