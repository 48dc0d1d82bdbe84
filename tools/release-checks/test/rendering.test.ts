import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { describeWhen } from '@pets/testing';
import { parseManifests } from '../src/manifests/manifest.js';
import { canRender, overlays, render, renderedFile } from '../src/manifests/render.js';

const missing = (await canRender()) ? null : 'kubectl 1.27 or later is not installed';

describeWhen(describe, 'the manifests as kubectl renders them', missing, () => {
  it.each(overlays)('are those that were checked, of %s: `npm run manifests` writes them anew', async (overlay) => {
    const checked = await readFile(renderedFile(overlay), 'utf8');
    expect(parseManifests(await render(overlay))).toEqual(parseManifests(checked));
  });
});
