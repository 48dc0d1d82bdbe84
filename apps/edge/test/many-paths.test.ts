import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openFileStorage } from '@pets/platform';
import { indexKey, writeSiteIndex } from '@pets/sites';
import { siteRoute, EdgeFixture } from './edge-fixture.js';

const FILES = 9_991;
const about = {
  sha256: 'd0da47ee7dd1c6ce2e2c2b4db2a4d6e5a2f6d5b2d0d8f4a4b9a4c4fd6a8c3a11',
  bytes: 5,
  freshness: 'revalidated',
} as const;

let fixture: EdgeFixture;

beforeAll(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge();
});
afterAll(() => fixture.tearDown());

const pathOf = (nth: number) => `${'long-name-'.repeat(48)}${nth}`;
const placeOf = (key: string) => join(fixture.folder, 'files', key);

/** A project of as many long paths as the storage ever had. @returns its host */
async function publishLarge(name: string, contentHash: string): Promise<string> {
  const storage = await openFileStorage(fixture.env['STORAGE_URL'] ?? '');
  const paths = Array.from({ length: FILES }, (_, nth) => [pathOf(nth), about] as const);
  await writeSiteIndex(storage, contentHash, new Map(paths));
  const host = `${name}.test`;
  await fixture.issue(name, host);
  await fixture.api.publishAndSettle({ [host]: siteRoute(name, contentHash) });
  return host;
}

it('a project with very many long paths does not slow down others', async () => {
  await fixture.deploy({ 'index.html': 'neighbour', '404.html': 'nothing here' }, 'ae16');
  await fixture.issue('neighbour', 'neighbour.test');
  await fixture.api.publishAndSettle({ 'neighbour.test': siteRoute('neighbour', 'ae16') });
  const ask = async () => [
    (await fixture.visitor.secure('neighbour.test')).body,
    (await fixture.visitor.secure('neighbour.test', { path: '/nowhere' })).body,
  ];
  expect(await ask()).toEqual(['neighbour', 'nothing here']);
  const hosts = await Promise.all(['a', 'b', 'c'].map((name) => publishLarge(`large-${name}`, `1a46e${name}`)));
  // Were the neighbour to be read again, it would be missing.
  await rm(placeOf('contents'), { recursive: true });
  await rm(placeOf(indexKey('ae16')));
  for (const host of hosts) {
    const replies = Array.from({ length: 150 }, (_, nth) => fixture.visitor.secure(host, { path: `/nowhere-${nth}` }));
    for (const { status } of await Promise.all(replies)) expect(status).toBe(404);
  }
  expect(await ask()).toEqual(['neighbour', 'nothing here']);
});

it('a damaged index causes a 503, and never a wrong answer', async () => {
  await fixture.deploy({ 'index.html': 'damaged' }, 'da3a');
  const index = placeOf(indexKey('da3a'));
  await writeFile(index, Buffer.alloc(500));
  await fixture.issue('damaged', 'damaged.test');
  await fixture.api.publishAndSettle({ 'damaged.test': siteRoute('damaged', 'da3a') });
  for (const path of ['/', '/nowhere'])
    expect((await fixture.visitor.secure('damaged.test', { path })).status).toBe(503);
});
