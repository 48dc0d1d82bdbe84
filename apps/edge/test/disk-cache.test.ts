import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@pets/platform';
import { waitUntil } from '@pets/testing';
import { DiskCache } from '../src/disk-cache/disk-cache.js';

const log = createLogger('edge', 'silent');
const BIG = randomBytes(100_000);
let folder: string;
const opened: DiskCache[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'disk-cache-'));
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((cache) => cache.close()));
  await rm(folder, { recursive: true, force: true });
});

async function openCache(
  options: { maxBytes?: number; maxIdleMs?: number; isEvictor?: boolean } = {},
): Promise<DiskCache> {
  const cache = await DiskCache.open({ folder, maxBytes: 64 * 1024 * 1024, isEvictor: true, log, ...options });
  opened.push(cache);
  return cache;
}

function pathOf(key: string): string {
  const name = createHash('sha256').update(key).digest('hex');
  return join(folder, name.slice(0, 2), name);
}

async function readRange(cache: DiskCache, key: string, from: number, bytes: number): Promise<Buffer | undefined> {
  const chunks = await cache.readContent(key, from, bytes, BIG.length);
  return chunks && Buffer.concat(chunks);
}

describe('a disk cache', () => {
  it('returns what was written, to other processes too', async () => {
    const [writer, reader] = [await openCache(), await openCache({ isEvictor: false })];
    expect(await writer.write('small', Buffer.from('content'))).toBe(true);
    expect(reader.readSmall('small')?.toString()).toBe('content');
    expect(reader.has('small')).toBe(true);
    expect(reader.readSmall('other')).toBeUndefined();
    await writer.write('small', Buffer.from('replaced'));
    expect(reader.readSmall('small')?.toString()).toBe('replaced');
    await writer.delete('small');
    expect(reader.readSmall('small')).toBeUndefined();
  });

  it.each([
    [0, BIG.length],
    [0, 1],
    [0, 16_384],
    [16_383, 2],
    [16_384, 16_384],
    [20_000, 60_000],
    [BIG.length - 1, 1],
  ])('returns the range from %i with %i bytes', async (from, bytes) => {
    const cache = await openCache();
    const source = async function* () {
      for (let at = 0; at < BIG.length; at += 7_000) yield BIG.subarray(at, at + 7_000);
    };
    expect(await cache.fill('big', BIG.length, source())).toBe(true);
    expect(await readRange(cache, 'big', from, bytes)).toEqual(BIG.subarray(from, from + bytes));
    expect(cache.readSmall('big')).toEqual(BIG);
  });

  it.each([
    [
      'is too short',
      async function* () {
        yield BIG.subarray(1);
      },
    ],
    [
      'is too long',
      async function* () {
        yield BIG;
        yield BIG;
      },
    ],
    [
      'fails',
      async function* () {
        yield BIG.subarray(0, 50_000);
        throw new Error('broken');
      },
    ],
  ])('keeps nothing of a source that %s', async (_name, source) => {
    const cache = await openCache();
    expect(await cache.fill('big', BIG.length, source())).toBe(false);
    expect(cache.has('big')).toBe(false);
    expect(await readdir(join(folder, 'unfinished'))).toEqual([]);
  });

  it.each([
    [
      'a changed byte',
      async () => {
        const bytes = await readFile(pathOf('big'));
        bytes[50_000] = (bytes[50_000] ?? 0) ^ 1;
        await writeFile(pathOf('big'), bytes);
      },
    ],
    ['a lost end', () => truncate(pathOf('big'), 50_000)],
    ['an end lost at a block', () => truncate(pathOf('big'), 3 * (16_384 + 4))],
    ['no content', () => truncate(pathOf('big'), 0)],
    ['the content of another entry', () => copyFile(pathOf('other'), pathOf('big'))],
  ])('treats an entry with %s as absent, and deletes it', async (_name, damage) => {
    const cache = await openCache();
    for (const read of [() => cache.readSmall('big'), () => readRange(cache, 'big', 0, BIG.length)]) {
      await cache.write('big', BIG);
      await cache.write('other', randomBytes(BIG.length));
      await damage();
      expect(await read()).toBeUndefined();
      await waitUntil(() => !existsSync(pathOf('big')), { message: 'the file is deleted' });
    }
  });

  it('deletes the least recently used entries beyond its limit, whichever process wrote them', async () => {
    const writer = await openCache({ maxBytes: 1_000_000, isEvictor: false });
    const keys = Array.from({ length: 9 }, (_, index) => `entry ${index}`);
    for (const [index, key] of keys.entries()) {
      await writer.write(key, BIG);
      const usedAt = new Date(Date.now() - 2 ** (10 - index) * 60_000); // far apart: ages are distinguished to 2 %
      await utimes(pathOf(key), usedAt, usedAt);
    }
    const reader = await openCache({ maxBytes: 1_000_000, isEvictor: false });
    expect(reader.readSmall('entry 0')).toEqual(BIG); // so entry 1 is the oldest
    for (let index = 0; index < 4; index++) await writer.write(`more ${index}`, BIG);
    const evictor = await openCache({ maxBytes: 1_000_000 }); // after all writes, so that it deletes once
    const left = () => keys.filter((key) => writer.has(key)).join();
    const expected = ['entry 0', 'entry 6', 'entry 7', 'entry 8'].join();
    await waitUntil(() => left() === expected, { message: 'the five oldest are deleted' });
    expect(evictor.size?.bytes).toBeLessThanOrEqual(1_000_000);
  });

  it('deletes entries that were not used for too long', async () => {
    const writer = await openCache({ isEvictor: false });
    for (const [key, ageMs] of Object.entries({ old: 61_000, recent: 30_000 })) {
      await writer.write(key, BIG);
      const usedAt = new Date(Date.now() - ageMs);
      await utimes(pathOf(key), usedAt, usedAt);
    }
    const evictor = await openCache({ maxIdleMs: 60_000 });
    await waitUntil(() => evictor.size !== undefined, { message: 'the entries are counted' });
    expect([evictor.size?.entries, writer.has('old'), writer.has('recent')]).toEqual([1, false, true]);
  });

  it('stops reading a source that does not end', async () => {
    const cache = await openCache();
    const endless = async function* () {
      for (;;) yield Promise.resolve(randomBytes(50_000));
    };
    expect(await cache.fill('big', BIG.length, endless())).toBe(false);
    expect(cache.has('big')).toBe(false);
  });

  it('deletes the unfinished files of killed processes at its start', async () => {
    await mkdir(join(folder, 'unfinished'));
    await writeFile(join(folder, 'unfinished', 'left'), 'x');
    await openCache();
    expect(await readdir(join(folder, 'unfinished'))).toEqual([]);
  });

  it('caches nothing when it cannot write, and reads on', async () => {
    const cache = await openCache();
    await cache.write('kept', Buffer.from('kept'));
    await rm(join(folder, 'unfinished'), { recursive: true });
    await writeFile(join(folder, 'unfinished'), '');
    expect(await cache.write('new', BIG)).toBe(false);
    expect(cache.readSmall('kept')?.toString()).toBe('kept');
    expect(cache.readSmall('new')).toBeUndefined();
  });
});
