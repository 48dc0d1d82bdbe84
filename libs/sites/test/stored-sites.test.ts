import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openFileStorage, readWhole, type FileStorage } from '@pets/platform';
import {
  findInPage,
  findPage,
  hashPath,
  indexKey,
  pageInHead,
  readSiteIndexHead,
  readSiteIndexPage,
  readSiteRules,
  readStoredEntries,
  writeSiteIndex,
  type SiteEntry,
} from '../src/index.js';

let folder: string;
let storage: FileStorage;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sites-'));
  storage = await openFileStorage(pathToFileURL(folder).href);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('an index', () => {
  it('stores the index of a deployment with any file names', async () => {
    const index = indexOf(['index.html', '[slug]/é.js', '..', '__proto__', 'a  b']);
    await writeSiteIndex(storage, 'c0ffee', index);
    for (const [path, entry] of index) expect(await lookUp('c0ffee', path)).toEqual(entry);
    for (const path of ['index', '', 'é'.repeat(9_000), 'toString'])
      expect(await lookUp('c0ffee', path)).toBeUndefined();
    await expect(readSiteIndexHead(storage, 'beef')).rejects.toThrow('there is no deployment beef');
    await expect(readSiteIndexHead(storage, '../c0ffee')).rejects.toThrow('hexadecimal');
  });

  it('finds one path in a large index by reading a small part of it', async () => {
    const index = indexOf(Array.from({ length: 10_000 }, (_, nth) => `folder/${nth}/${'x'.repeat(80)}`));
    await writeSiteIndex(storage, 'da7a', index);
    let read = 0;
    const counting: FileStorage = {
      ...storage,
      read: (key, span) => {
        read += span === undefined ? Infinity : span.last - span.first + 1;
        return storage.read(key, span);
      },
    };
    for (const [path, entry] of [...index].filter((_each, nth) => nth % 1_000 === 0)) {
      read = 0;
      expect(await lookUp('da7a', path, counting)).toEqual(entry);
      expect(read).toBeLessThan(32 * 1024);
    }
    expect(await lookUp('da7a', 'folder', counting)).toBeUndefined();
  });

  it.each([0, 1, 200, 201, 400, 401])('finds each of %d files, and no others', async (files) => {
    const index = indexOf(Array.from({ length: files }, (_, nth) => `file-${nth}`));
    await writeSiteIndex(storage, `f1e5${files}`, index, Buffer.from('rules'));
    const all: SiteEntry[] = [];
    for await (const page of readStoredEntries(storage, `f1e5${files}`)) all.push(...page);
    const bySize = (a: SiteEntry, b: SiteEntry) => a.bytes - b.bytes;
    expect(all.toSorted(bySize)).toEqual([...index.values()]);
    for (const [path, entry] of [...index].slice(-5)) expect(await lookUp(`f1e5${files}`, path)).toEqual(entry);
    for (const nth of [-1, files, files + 1]) expect(await lookUp(`f1e5${files}`, `file-${nth}`)).toBeUndefined();
  });

  it.each([
    [0, 10],
    [1, 20_000],
    [450, 256 * 1024],
  ])('of %d files has %d bytes of rules behind it', async (files, bytes) => {
    const index = indexOf(Array.from({ length: files }, (_, nth) => `file-${nth}`));
    const rules = Buffer.alloc(bytes, 'rule');
    await writeSiteIndex(storage, 'd1ce', index, rules);
    const head = await readSiteIndexHead(storage, 'd1ce');
    expect((await readSiteRules(storage, head))?.equals(rules)).toBe(true);
    for (const [path, entry] of [...index].slice(-3)) expect(await lookUp('d1ce', path)).toEqual(entry);
    await writeSiteIndex(storage, 'd1ce', index);
    expect(await readSiteRules(storage, await readSiteIndexHead(storage, 'd1ce'))).toBeUndefined();
  });
});

describe('a damaged index', () => {
  const paths = Array.from({ length: 450 }, (_, nth) => `file-${nth}`);
  const index = indexOf(paths);
  const rules = Buffer.alloc(500, 'rule');
  let stored: Buffer;

  beforeAll(async () => {
    await writeSiteIndex(storage, 'abcd', index, rules);
    const key = indexKey('abcd');
    stored = await readWhole(await storage.read(key), (await storage.find(key)) ?? 0);
  });

  it('is refused or returns what was stored, for any changed byte', async () => {
    for (let at = 0; at < stored.length; at += 97) {
      const damaged = Buffer.from(stored);
      damaged[at] = (damaged[at] ?? 0) ^ 0x11;
      await storage.write(indexKey('abcd'), damaged);
      let refused = 0;
      for (const path of [paths[0], paths[100], paths[449], 'nowhere'].map(String))
        try {
          expect(await lookUp('abcd', path)).toEqual(index.get(path));
        } catch (error) {
          expect(error).toMatchObject({ message: expect.stringContaining('the index of deployment abcd is corrupt') });
          refused += 1;
        }
      const read = async () => readSiteRules(storage, await readSiteIndexHead(storage, 'abcd'));
      // Damage in the head, in the pages that are read with it, and in the rules.
      if (at < 300 || at >= stored.length - rules.length) await expect(read()).rejects.toThrow('is corrupt');
      else
        await read().then(
          (rulesRead) => expect(rulesRead).toEqual(rules),
          (error: unknown) => expect(error).toMatchObject({ message: expect.stringContaining('is corrupt') }),
        );
      // The head is read for every path.
      if (at < 300) expect(refused).toBe(4);
    }
  });

  it.each([
    ['is truncated', () => stored.subarray(0, 20_000)],
    ['is truncated in its head', () => stored.subarray(0, 50)],
    ['is empty', () => Buffer.alloc(0)],
    ['is longer', () => Buffer.concat([stored, Buffer.alloc(1)])],
    ['is zeros', () => Buffer.alloc(stored.length)],
  ])('that %s is refused', async (_name, make) => {
    await storage.write(indexKey('abcd'), make());
    await expect(readSiteIndexHead(storage, 'abcd')).rejects.toThrow('the index of deployment abcd is corrupt');
  });

  it('that belongs to another deployment is refused', async () => {
    await storage.write(indexKey('abce'), stored);
    await expect(readSiteIndexHead(storage, 'abce')).rejects.toThrow(
      'is corrupt: its head is invalid or belongs to another deployment',
    );
  });
});

function indexOf(paths: readonly string[]): Map<string, SiteEntry> {
  const freshnesses = ['revalidated', 'day', 'year'] as const;
  const entryOf = (nth: number): SiteEntry => ({
    sha256: nth.toString(16).padStart(64, '0'),
    bytes: nth,
    freshness: freshnesses[nth % 3] ?? 'revalidated',
    ...(nth % 5 === 1 && { isSecret: true }),
  });
  return new Map(paths.map((path, nth) => [path, entryOf(nth)]));
}

async function lookUp(contentHash: string, path: string, from = storage): Promise<SiteEntry | undefined> {
  const head = await readSiteIndexHead(from, contentHash);
  const page = findPage(head, hashPath(path));
  if (page === undefined) return undefined;
  return findInPage(pageInHead(head, page) ?? (await readSiteIndexPage(from, head, page)), hashPath(path));
}
