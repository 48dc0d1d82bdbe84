import { describe, expect, it } from '@jest/globals';
import { BoundedCache } from './bounded-cache.js';

const text = (value: string) => () => Promise.resolve({ value });
const unexpected = () => Promise.reject(new Error('made again'));

describe('BoundedCache', () => {
  it('makes a value once, however many ask at a time', async () => {
    const cache = new BoundedCache<{ value: string }>(10_000, () => 1);
    const answers = [cache.get('a', text('1')), cache.get('a', unexpected), cache.get('a', unexpected)];
    expect(await Promise.all(answers)).toEqual([{ value: '1' }, { value: '1' }, { value: '1' }]);
    expect(await cache.get('a', unexpected)).toEqual({ value: '1' });
  });

  it('tries again what could not be made', async () => {
    const cache = new BoundedCache<{ value: string }>(10_000, () => 1);
    await expect(cache.get('a', unexpected)).rejects.toThrow('made again');
    expect(await cache.get('a', text('2'))).toEqual({ value: '2' });
  });

  it('leaves out the least used', async () => {
    const cache = new BoundedCache<{ value: string }>(2_600, () => 1_000);
    await cache.get('a', text('a'));
    await cache.get('b', text('b'));
    await cache.get('a', unexpected);
    await cache.get('c', text('c'));
    await cache.get('a', unexpected);
    await expect(cache.get('b', unexpected)).rejects.toThrow('made again');
  });

  it('gives what is larger than itself, and does not keep it', async () => {
    const cache = new BoundedCache<{ value: string }>(500, () => 1_000);
    expect(await cache.get('a', text('1'))).toEqual({ value: '1' });
    await expect(cache.get('a', unexpected)).rejects.toThrow('made again');
  });
});
