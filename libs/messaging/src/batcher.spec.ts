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

describe('Batcher', () => {
  it('runs items that come together in one batch, up to its size', async () => {
    const { batches, seen } = batchesOf(() => Promise.resolve());
    await Promise.all(['a', 'b', 'c', 'd'].map((item) => batches.add(item)));
    expect(seen).toEqual([['a', 'b', 'c'], ['d']]);
  });

  it('puts items with the same key into separate batches, in their order', async () => {
    const { batches, seen } = batchesOf(() => Promise.resolve());
    await Promise.all(['a1', 'a2', 'b1', 'a3'].map((item) => batches.add(item)));
    expect(seen).toEqual([['a1', 'b1'], ['a2'], ['a3']]);
  });

  it('fails an item only for its own reasons', async () => {
    const { batches, seen } = batchesOf((items) =>
      items.includes('b') ? Promise.reject(new Error('b is bad')) : Promise.resolve(),
    );
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((item) => batches.add(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(seen).toEqual([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
  });

  it('fails the remaining items at once after two failures in a row', async () => {
    const { batches, seen } = batchesOf(() => Promise.reject(new Error('the database is unavailable')));
    const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((item) => batches.add(item)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(seen).toEqual([['a', 'b', 'c'], ['a'], ['b']]);
  });

  it('continues after a failure', async () => {
    const { batches } = batchesOf(([item]) => (item === 'a' ? Promise.reject(new Error('no')) : Promise.resolve()));
    await expect(batches.add('a')).rejects.toThrow('no');
    await expect(batches.add('b')).resolves.toBeUndefined();
  });
});
