import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { parseManifests } from '../src/manifests/manifest.js';
import { canRender, overlays, render, renderedFile } from '../src/manifests/render.js';
import { sourcesLine } from '../src/manifests/sources.js';

const hasKubectl = await canRender();

describe('the manifests that are checked', () => {
  it.each(overlays)('are those of today, of %s: else run `npm run manifests`', async (overlay) => {
    const checked = await readFile(renderedFile(overlay), 'utf8');
    expect(checked.slice(0, checked.indexOf('\n') + 1)).toBe(await sourcesLine());
    // Not every machine has kubectl; the digest holds everywhere, and where there is one, what it makes of them.
    if (hasKubectl) expect(parseManifests(await render(overlay))).toEqual(parseManifests(checked));
  });
});
