import { describe, expect, it } from '@jest/globals';
import { LruCache } from './lru-cache.js';

const text = (value: string) => () => Promise.resolve({ value });
const unexpected = () => Promise.reject(new Error('made again'));

describe('BoundedCache', () => {
  it('makes a value once, however many ask at a time', async () => {
    const cache = new LruCache<{ value: string }>({ maxBytes: 10_000, bytesOf: () => 1 });
    const answers = [
      cache.get('owner', 'a', text('1')),
      cache.get('owner', 'a', unexpected),
      cache.get('owner', 'a', unexpected),
    ];
    expect(await Promise.all(answers)).toEqual([{ value: '1' }, { value: '1' }, { value: '1' }]);
    expect(await cache.get('owner', 'a', unexpected)).toEqual({ value: '1' });
  });

  it('tries again what could not be made', async () => {
    const cache = new LruCache<{ value: string }>({ maxBytes: 10_000, bytesOf: () => 1 });
    await expect(cache.get('owner', 'a', unexpected)).rejects.toThrow('made again');
    expect(await cache.get('owner', 'a', text('2'))).toEqual({ value: '2' });
  });

  it('makes the values of two owners apart, whatever their keys are', async () => {
    const cache = new LruCache<{ value: string }>({ maxBytes: 10_000, bytesOf: () => 1 });
    expect(await Promise.all([cache.get('a', 'k', text('1')), cache.get('b', 'k', text('2'))])).toEqual([
      { value: '1' },
      { value: '2' },
    ]);
  });
});
