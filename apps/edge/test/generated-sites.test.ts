import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { EdgeFixture } from './edge-fixture.js';
import { BUILT_SITES, readArchive, type SiteFiles } from './sites/built-site.js';
import { SiteCheck, startEdge } from './sites/site-check.js';
import { generatedSites } from './sites/generated-sites.js';

/** Sites of generators that people use, as these wrote them: `tools/generated-sites`. */

let fixture: EdgeFixture;

beforeAll(async () => {
  fixture = await startEdge();
});
afterAll(() => fixture.tearDown());

it('there is a site of each generator', async () => {
  const archives = (await readdir(BUILT_SITES)).filter((name) => name.endsWith('.tar.gz'));
  expect(archives.toSorted()).toEqual(
    Object.keys(generatedSites)
      .map((name) => `${name}.tar.gz`)
      .toSorted(),
  );
});

it('references to files that are missing are found', async () => {
  const missing = [
    'img/logo.svg',
    'img/large.svg',
    'img/dots.svg',
    'guide/install/index.html',
    'guide/pictures/photo.png',
  ];
  const files = await readArchive(join(BUILT_SITES, 'hugo.tar.gz'));
  const site = await SiteCheck.publish(
    fixture,
    'incomplete',
    new Map([...files].filter(([path]) => !missing.includes(path))),
  );
  const broken = await site.findBrokenReferences();
  site.leave();
  expect(broken).toEqual(expect.arrayContaining(missing.map((path) => `/${path.replace(/index\.html$/, '')}`)));
});

describe.each(Object.entries(generatedSites))('a site of %s', (name, expected) => {
  let files: SiteFiles;
  let site: SiteCheck;

  beforeAll(async () => {
    files = await readArchive(join(BUILT_SITES, `${name}.tar.gz`));
    site = await SiteCheck.publish(fixture, name, files);
  });
  afterAll(() => site.leave());

  it('has no file that an upload refuses', () => {
    expect([...files.keys()].filter((path) => /(?:^|\/)\.(?:git|env)/.test(path))).toEqual([]);
  });

  it('shows each page with and without slash', async () => {
    expect(await site.findWrongPages()).toEqual([]);
  });

  it('has no broken reference that the preview of the generator does not have', async () => {
    const broken = await site.findBrokenReferences();
    expect(broken.filter((path) => !expected.brokenInPreview.includes(path))).toEqual([]);
  });

  it('serves each file', async () => {
    expect(await site.findWrongFiles()).toEqual([]);
  });

  it('shows its own page for an unknown address below each folder', async () => {
    expect(await site.findWrongFallbacks(expected.fallback?.page, expected.fallback?.status ?? 404)).toEqual([]);
  });

  it('redirects permanently, to the same host and port and with the query', async () => {
    expect(await site.findWrongRedirects()).toEqual([]);
  });
});
