import { describe, expect, it } from '@jest/globals';
import { pause } from './waiting.js';
import { PromiseCache } from './promise-cache.js';

const HOUR_MS = 3_600_000;

/** Counts its loads and returns their number. */
function counter() {
  let loads = 0;
  return async () => ++loads;
}

describe('PromiseCache', () => {
  it('shares one load among callers that come together', async () => {
    const cache = new PromiseCache<number>({ maxEntries: 10, ttlMs: HOUR_MS });
    const load = counter();
    expect(await Promise.all([cache.get('a', load), cache.get('a', load)])).toEqual([1, 1]);
  });

  it('loads again when the time of an entry is over', async () => {
    const cache = new PromiseCache<number>({ maxEntries: 10, ttlMs: 20 });
    const load = counter();
    await cache.get('a', load);
    await pause(30);
    expect(await cache.get('a', load)).toBe(2);
  });

  it('counts the time from the start of a load', async () => {
    const cache = new PromiseCache<number>({ maxEntries: 10, ttlMs: 20 });
    const load = counter();
    await cache.get('a', async () => {
      await pause(30);
      return load();
    });
    expect(await cache.get('a', load)).toBe(2);
  });

  it('does not keep a failed load', async () => {
    const cache = new PromiseCache<number>({ maxEntries: 10, ttlMs: HOUR_MS });
    await expect(cache.get('a', () => Promise.reject(new Error('no database')))).rejects.toThrow('no database');
    expect(await cache.get('a', counter())).toBe(1);
  });

  it('does not keep a value whose own time is 0', async () => {
    const cache = new PromiseCache<number>({ maxEntries: 10, ttlMs: HOUR_MS, ttlMsOf: () => 0 });
    const load = counter();
    await cache.get('a', load);
    expect(await cache.get('a', load)).toBe(2);
  });

  it('keeps a value for its own time', async () => {
    const cache = new PromiseCache<number>({ maxEntries: 10, ttlMs: 20, ttlMsOf: () => HOUR_MS });
    const load = counter();
    await cache.get('a', load);
    await pause(30);
    expect(await cache.get('a', load)).toBe(1);
  });

  it('drops the least recently used entry when it is full', async () => {
    const cache = new PromiseCache<number>({ maxEntries: 2, ttlMs: HOUR_MS });
    const load = counter();
    await cache.get('a', load);
    await cache.get('b', load);
    await cache.get('a', load);
    await cache.get('c', load);
    expect(await cache.get('a', load)).toBe(1);
    expect(await cache.get('b', load)).toBe(4);
  });

  it('does not bring back a cleared entry when its load ends', async () => {
    const cache = new PromiseCache<number>({ maxEntries: 10, ttlMs: HOUR_MS, ttlMsOf: () => HOUR_MS });
    const load = counter();
    const loading = cache.get('a', load);
    cache.clear();
    await loading;
    expect(await cache.get('a', load)).toBe(2);
  });
});
