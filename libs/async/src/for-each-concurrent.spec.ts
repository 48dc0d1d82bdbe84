import { describe, expect, it } from '@jest/globals';
import { forEachConcurrent } from './for-each-concurrent.js';

describe('forEachConcurrent', () => {
  it('begins the tasks in order, at most so many at a time', async () => {
    const begun: number[] = [];
    const ends = new Map<number, () => void>();
    const done = forEachConcurrent([1, 2, 3, 4], 2, (item) => {
      begun.push(item);
      return new Promise((resolve) => ends.set(item, resolve));
    });
    expect(begun).toEqual([1, 2]);
    ends.get(2)?.();
    await Promise.resolve();
    expect(begun).toEqual([1, 2, 3]);
    for (const item of [1, 3, 4]) {
      ends.get(item)?.();
      await Promise.resolve();
    }
    await done;
    expect(begun).toEqual([1, 2, 3, 4]);
  });

  it('rejects with the error of a task, after which others go on', async () => {
    const begun: number[] = [];
    const running = forEachConcurrent([1, 2, 3], 2, async (item) => {
      begun.push(item);
      if (item === 1) throw new Error('first');
    });
    await expect(running).rejects.toThrow('first');
    expect(begun).toEqual([1, 2, 3]);
  });

  it('does nothing without items', async () => {
    await expect(forEachConcurrent([], 3, () => Promise.reject(new Error('called')))).resolves.toBeUndefined();
  });
});
