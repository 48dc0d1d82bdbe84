import { describe, expect, it } from '@jest/globals';
import { Batcher } from './batcher.js';

function batchesOf(run: (items: readonly string[]) => Promise<void>) {
  const seen: (readonly string[])[] = [];
  const batches = new Batcher<string>(
    (items) => {
      seen.push(items);
      return run(items);
    },
    { maxSize: 3, keyOf: (item) => item.charAt(0), retryIndividually: true },
  );
  return { batches, seen };
}

describe('micro-batches', () => {
  it('do together what comes together, up to their size', async () => {
    const { batches, seen } = batchesOf(() => Promise.resolve());
    await Promise.all(['a', 'b', 'c', 'd'].map((item) => batches.add(item)));
    expect(seen).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it('keep items of one key apart, in their order', async () => {
    const { batches, seen } = batchesOf(() => Promise.resolve());
    await Promise.all(['a1', 'a2', 'b1', 'a3'].map((item) => batches.add(item)));
    expect(seen).toEqual([['a1', 'b1'], ['a2'], ['a3']]);
  });

  it('let an item fail for its own reasons only', async () => {
    const { batches, seen } = batchesOf((items) =>
      items.includes('b') ? Promise.reject(new Error('b is bad')) : Promise.resolve(),
    );
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((item) => batches.add(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(seen).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
  });

  it('tell everybody at once when everybody fails', async () => {
    const { batches, seen } = batchesOf(() => Promise.reject(new Error('the database is away')));
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((item) => batches.add(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(seen).toEqual([['a', 'b', 'c'], ['a'], ['b']]);
  });

  it('go on after a failure', async () => {
    const { batches } = batchesOf(([item]) => (item === 'a' ? Promise.reject(new Error('no')) : Promise.resolve()));
    await expect(batches.add('a')).rejects.toThrow('no');
    await expect(batches.add('b')).resolves.toBeUndefined();
  });
});
