import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openFileStorage, type FileStorage } from '@pets/platform';
import { compareManifests, encodeManifest, manifestKey, readManifest, type ListedFile } from '../src/index.js';

let folder: string;
let storage: FileStorage;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'manifests-'));
  storage = await openFileStorage(pathToFileURL(folder).href);
});
afterAll(() => rm(folder, { recursive: true }));

const fileOf = (path: string, digit = 'a', bytes = 7): ListedFile => ({ path, sha256: digit.repeat(64), bytes });

describe('a manifest', () => {
  const files = [fileOf('index.html'), fileOf('a b/\u{1f436}.png', 'b', 0), fileOf('_redirects', 'c')];

  it('has the same name for the same files in any order, and another one for others', async () => {
    const { filesHash } = await encodeManifest(files);
    expect((await encodeManifest(files.toReversed())).filesHash).toBe(filesHash);
    expect((await encodeManifest(files.slice(1))).filesHash).not.toBe(filesHash);
    expect((await encodeManifest([...files.slice(1), fileOf('index.html', 'd')])).filesHash).not.toBe(filesHash);
  });

  it('is read as it was written, and not if it was changed', async () => {
    const { filesHash, gzipped } = await encodeManifest(files);
    await storage.write(manifestKey(filesHash), gzipped);
    expect(await readManifest(storage, filesHash)).toEqual(files.toSorted((a, b) => (a.path < b.path ? -1 : 1)));
    const other = await encodeManifest(files.slice(1));
    await storage.write(manifestKey(filesHash), other.gzipped);
    await expect(readManifest(storage, filesHash)).rejects.toThrow(`the manifest ${filesHash} is damaged`);
    await expect(readManifest(storage, 'ab')).rejects.toThrow('there is no manifest ab in the storage');
  });
});

it('the differences of manifests are in order', () => {
  const before = [fileOf('same'), fileOf('gone/b'), fileOf('gone/a'), fileOf('changed')];
  const after = [fileOf('new'), fileOf('changed', 'b'), fileOf('same')];
  expect(compareManifests(before, after)).toEqual({
    added: ['new'],
    changed: ['changed'],
    removed: ['gone/a', 'gone/b'],
  });
  expect(compareManifests([], after).added).toEqual(['changed', 'new', 'same']);
});
