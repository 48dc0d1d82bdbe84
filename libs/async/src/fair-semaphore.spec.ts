import { describe, expect, it } from '@jest/globals';
import { FairSemaphore, type Release } from './fair-semaphore.js';

const LONG_MS = 60_000;

function required(release: Release | null): Release {
  if (release === null) throw new Error('there is no place');
  return release;
}

describe('a fair semaphore', () => {
  it('gives a key no more than its share, and all keys no more than there is', () => {
    const semaphore = new FairSemaphore({ places: 3, placesPerKey: 2, waitingPerKey: 10 });
    expect(['a', 'a', 'a', 'b', 'b', 'c'].map((key) => semaphore.tryAcquire(key) !== null)).toEqual([
      ...[true, true, false],
      ...[true, false, false],
    ]);
  });

  it('serves waiting keys in turns, and the callers of a key in their order', async () => {
    const semaphore = new FairSemaphore({ places: 1, placesPerKey: 1, waitingPerKey: 10 });
    const first = required(semaphore.tryAcquire('a'));
    const served: string[] = [];
    const waits = ['a1', 'a2', 'a3', 'b1', 'c1', 'b2'].map(async (name) => {
      const release = required(await semaphore.acquire(name.charAt(0), LONG_MS));
      served.push(name);
      release();
    });
    first();
    await Promise.all(waits);
    expect(served).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('passes a key at its share over for one that is not', async () => {
    const semaphore = new FairSemaphore({ places: 2, placesPerKey: 1, waitingPerKey: 10 });
    required(semaphore.tryAcquire('a'));
    const b = required(semaphore.tryAcquire('b'));
    let isServed = false;
    void semaphore.acquire('a', LONG_MS).then(() => (isServed = true));
    const c = semaphore.acquire('c', LONG_MS);
    b();
    expect(await c).not.toBeNull();
    expect(isServed).toBe(false);
  });

  it('gives up after the limit, and refuses at once when too many wait', async () => {
    const semaphore = new FairSemaphore({ places: 1, placesPerKey: 1, waitingPerKey: 1 });
    const release = required(semaphore.tryAcquire('a'));
    const late = semaphore.acquire('a', 1);
    expect(await semaphore.acquire('a', LONG_MS)).toBeNull();
    expect(await late).toBeNull();
    release();
    expect(semaphore.tryAcquire('a')).not.toBeNull();
  });

  it('never exceeds its bounds and serves everybody, in any order of calls', async () => {
    const semaphore = new FairSemaphore({ places: 5, placesPerKey: 2, waitingPerKey: 1_000 });
    const running = new Map<string, number>();
    let most = 0;
    let served = 0;
    const run = async (key: string, turns: number) => {
      const release = required(await semaphore.acquire(key, LONG_MS));
      running.set(key, (running.get(key) ?? 0) + 1);
      most = Math.max(
        most,
        [...running.values()].reduce((sum, count) => sum + count, 0),
      );
      expect(running.get(key)).toBeLessThanOrEqual(2);
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      running.set(key, (running.get(key) ?? 0) - 1);
      served += 1;
      release();
    };
    await Promise.all(Array.from({ length: 500 }, (_, index) => run(`k${(index * 7) % 11}`, (index * 13) % 5)));
    expect({ most, served }).toEqual({ most: 5, served: 500 });
  });
});
