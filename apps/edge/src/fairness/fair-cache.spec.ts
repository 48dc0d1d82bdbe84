import { describe, expect, it } from '@jest/globals';
import { FairCache, LoadingCache } from './fair-cache.js';

const KIB = 1024;

/** A cache of 100 KiB, whose values say how large they are. */
function open(): { cache: FairCache<{ bytes: number }>; later: (ms: number) => void } {
  let nowMs = 1;
  const cache = new FairCache<{ bytes: number }>({
    maxBytes: 100 * KIB,
    bytesOf: ({ bytes }) => bytes,
    nowMs: () => nowMs,
  });
  return { cache, later: (ms) => (nowMs += ms) };
}

const fill = (cache: FairCache<{ bytes: number }>, owner: string, count: number, bytes = KIB) => {
  for (let nth = 0; nth < count; nth++) cache.set(owner, `${nth}`, { bytes });
};
const keptOf = (cache: FairCache<{ bytes: number }>, owner: string, count: number) =>
  Array.from({ length: count }, (_, nth) => nth).filter((nth) => cache.get(owner, `${nth}`) !== undefined);

describe('FairCache', () => {
  it('returns an entry only to its owner', () => {
    const { cache } = open();
    const value = { bytes: 1 };
    cache.set('a', 'key', value);
    expect(cache.get('a', 'key')).toBe(value);
    expect(cache.get('b', 'key')).toBeUndefined();
    expect(cache.get('a', 'other')).toBeUndefined();
  });

  it('counts a value that was replaced once', () => {
    const { cache } = open();
    for (let nth = 0; nth < 1_000; nth++) cache.set('a', 'same', { bytes: 5 * KIB });
    cache.set('a', 'other', { bytes: 5 * KIB });
    expect(cache.get('a', 'same')).toBeDefined();
    expect(cache.get('a', 'other')).toBeDefined();
  });

  it('keeps no more than a quarter for one owner: what it used last', () => {
    const { cache } = open();
    fill(cache, 'a', 10);
    cache.get('a', '0');
    for (let nth = 10; nth < 28; nth++) cache.set('a', `${nth}`, { bytes: KIB });
    const kept = keptOf(cache, 'a', 28);
    expect(kept).toContain(0);
    expect(kept).not.toContain(1);
    expect(kept).toContain(27);
    expect(kept.length).toBeLessThan(21);
  });

  it('does not keep what is larger than the part of one owner', () => {
    const { cache } = open();
    fill(cache, 'a', 3);
    cache.set('a', 'huge', { bytes: 26 * KIB });
    expect(cache.get('a', 'huge')).toBeUndefined();
    expect(keptOf(cache, 'a', 3)).toEqual([0, 1, 2]);
  });

  it('takes nothing from an owner in use that has little, however many others bring however much', () => {
    const { cache } = open();
    fill(cache, 'neighbour', 2);
    for (let round = 0; round < 50; round++)
      for (let owner = 0; owner < 12; owner++) fill(cache, `hostile ${owner}`, 20 + (round % 3), KIB + round);
    expect(keptOf(cache, 'neighbour', 2)).toEqual([0, 1]);
  });

  it('gives room to a new owner while the others fill it', () => {
    const { cache } = open();
    for (let owner = 0; owner < 12; owner++) fill(cache, `hostile ${owner}`, 20);
    fill(cache, 'neighbour', 3);
    for (let owner = 0; owner < 12; owner++) fill(cache, `hostile ${owner}`, 20);
    expect(keptOf(cache, 'neighbour', 3)).toEqual([0, 1, 2]);
  });

  it('forgets first who was not asked for in a minute', () => {
    const { cache, later } = open();
    for (let owner = 0; owner < 4; owner++) fill(cache, `small ${owner}`, 5);
    later(50_000);
    for (let owner = 0; owner < 3; owner++) keptOf(cache, `small ${owner}`, 5);
    later(20_000);
    for (let owner = 0; owner < 4; owner++) fill(cache, `new ${owner}`, 18);
    expect(keptOf(cache, 'small 3', 5)).toEqual([]);
    for (let owner = 0; owner < 3; owner++) expect(keptOf(cache, `small ${owner}`, 5)).toHaveLength(5);
  });

  it('stays within its bytes with any number of owners', () => {
    const { cache } = open();
    for (let owner = 0; owner < 5_000; owner++) cache.set(`${owner}`, 'key', { bytes: 0 });
    const kept = Array.from({ length: 5_000 }, (_, owner) => cache.get(`${owner}`, 'key')).filter((value) => value);
    expect(kept.length).toBeGreaterThan(50);
    expect(kept.length).toBeLessThan(150);
  });
});

const text = (value: string) => () => Promise.resolve({ value });
const unexpected = () => Promise.reject(new Error('loaded again'));

describe('LoadingCache', () => {
  it('loads a value once for concurrent callers', async () => {
    const cache = new LoadingCache<{ value: string }>({ maxBytes: 10_000, bytesOf: () => 1 });
    const answers = [
      cache.get('owner', 'a', text('1')),
      cache.get('owner', 'a', unexpected),
      cache.get('owner', 'a', unexpected),
    ];
    expect(await Promise.all(answers)).toEqual([{ value: '1' }, { value: '1' }, { value: '1' }]);
    expect(await cache.get('owner', 'a', unexpected)).toEqual({ value: '1' });
  });

  it('loads a value again after a failure', async () => {
    const cache = new LoadingCache<{ value: string }>({ maxBytes: 10_000, bytesOf: () => 1 });
    await expect(cache.get('owner', 'a', unexpected)).rejects.toThrow('loaded again');
    expect(await cache.get('owner', 'a', text('2'))).toEqual({ value: '2' });
  });

  it('keeps the values of two owners apart when their keys are the same', async () => {
    const cache = new LoadingCache<{ value: string }>({ maxBytes: 10_000, bytesOf: () => 1 });
    expect(await Promise.all([cache.get('a', 'k', text('1')), cache.get('b', 'k', text('2'))])).toEqual([
      { value: '1' },
      { value: '2' },
    ]);
  });
});
