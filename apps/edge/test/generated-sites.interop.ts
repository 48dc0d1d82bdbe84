import { spawnSync } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWhen, isInstalled, makeTemporaryFolder } from '@pets/testing';
import type { EdgeFixture } from './edge-fixture.js';
import {
  addressesOf,
  BUILT_SITES,
  findBrokenReferences,
  readArchive,
  referencesOfPages,
  type SiteFiles,
} from './sites/built-site.js';
import { Crawler, type Ask } from './sites/crawler.js';
import { generatedSites } from './sites/generated-sites.js';
import { SiteCheck, startEdge } from './sites/site-check.js';
import { buildAndPreview, type BuiltSite } from './sites/site-builder.js';

/** Sites that generators build now: as those in the repository, and without broken references that their previews lack. */

/** Programs of the generators that need one besides Node. Docusaurus takes minutes to install: its site is built by hand. */
const programs = { mkdocs: 'mkdocs', sphinx: 'sphinx-build', hugo: 'hugo', vite: undefined, next: undefined };
/** Paths with a hash of what a newer dependency of the generator changes. */
const hashed = /^\/?(?:assets|_next)\//;

const registryFailure = npmFailure();
let fixture: EdgeFixture;
let folder: string;
let readme: string;

beforeAll(async () => {
  readme = await readFile(join(BUILT_SITES, 'README.md'), 'utf8');
  folder = await makeTemporaryFolder('generated-sites');
  fixture = await startEdge();
});
afterAll(async () => {
  await fixture.tearDown();
  await rm(folder, { recursive: true, force: true });
});

describe.each(Object.entries(programs))('%s', (name, program) => {
  const missing = program === undefined ? registryFailure : isInstalled(program) ? null : `${program} is not installed`;
  describeWhen(describe, `a site of ${name} that is built now`, missing, () => {
    it('is the one in the repository, and has no broken reference that its preview does not have', async () => {
      const built = await buildAndPreview(name, folder);
      try {
        if (built.version === versionIn(readme, name)) {
          const committed = await readArchive(join(BUILT_SITES, `${name}.tar.gz`));
          expect(outlineOf(built.files)).toEqual(outlineOf(committed));
        }
        const inPreview = await findBrokenInPreview(name, built);
        expect(inPreview).toEqual(generatedSites[name]?.brokenInPreview);
        await checkSite(name, built, inPreview);
      } finally {
        await built.stop();
      }
    });
  });
});

function versionIn(text: string, name: string): string {
  const row = text.split('\n').find((line) => line.includes(`${name}.tar.gz`));
  const version = row?.split(/[\s|]+/).find((word) => /^\d+\.\d+\.\d+$/.test(word));
  if (version === undefined) throw new Error(`no version of ${name} in ${text}`);
  return version;
}

async function checkSite(name: string, { files }: BuiltSite, inPreview: readonly string[]): Promise<void> {
  const site = await SiteCheck.publish(fixture, name, files);
  try {
    expect(await site.findWrongPages()).toEqual([]);
    expect((await site.findBrokenReferences()).filter((path) => !inPreview.includes(path))).toEqual([]);
  } finally {
    site.leave();
  }
}

/** The paths of a site, and what its pages refer to. */
function outlineOf(files: SiteFiles): object {
  const references = Object.entries(referencesOfPages(files));
  return {
    paths: [...files.keys()].filter((path) => !hashed.test(path)),
    references: references.map(([path, targets]) => [path, targets.filter((target) => !hashed.test(target))]),
  };
}

async function findBrokenInPreview(name: string, { files, previewOrigin }: BuiltSite): Promise<readonly string[]> {
  const ask: Ask = async (url) => {
    const reply = await fetch(url, { redirect: 'manual' });
    const [mediaType = ''] = (reply.headers.get('content-type') ?? '').split(';', 1);
    const bytes = Buffer.from(await reply.arrayBuffer());
    return { status: reply.status, location: reply.headers.get('location') ?? undefined, mediaType, bytes };
  };
  const aliases = [`https://${name}.test`, previewOrigin.replace('127.0.0.1', 'localhost')];
  return findBrokenReferences(new Crawler(previewOrigin, aliases, ask), addressesOf(files));
}

/** @returns why nothing can be installed by npm; null if it can */
function npmFailure(): string | null {
  const { status } = spawnSync('npm', ['ping', '--fetch-retries=0'], { stdio: 'ignore', timeout: 20_000 });
  return status === 0 ? null : 'npm cannot reach its registry';
}
