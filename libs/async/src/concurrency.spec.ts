import { describe, expect, it } from '@jest/globals';
import { afterMs, FairSemaphore, forEachConcurrent, PromiseCache, type Release } from './concurrency.js';
import { pause } from './waiting.js';

const never = () => () => undefined;

/** Acquires slots of one key, and records which group got each. */
function acquirer(semaphore: FairSemaphore) {
  const granted: { group: string; release: Release }[] = [];
  const acquire = (group: string, onCancel: Parameters<FairSemaphore['acquire']>[2] = never) =>
    semaphore.acquire('key', group, onCancel).then((release) => {
      if (release !== null) granted.push({ group, release });
      return release;
    });
  return { granted, acquire, groups: () => granted.map(({ group }) => group) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('gives turns to groups, however many tasks one of them has', async () => {
  const { granted, acquire, groups } = acquirer(new FairSemaphore({ limit: 1 }));
  for (const group of ['a', 'a', 'a', 'a', 'b', 'b', 'c']) void acquire(group);
  for (let index = 0; index < 7; index += 1) {
    await settled();
    granted[index]?.release();
  }
  expect(groups()).toEqual(['a', 'a', 'b', 'c', 'a', 'b', 'a']);
});

it('leaves slots for others beyond the limit of a group', async () => {
  const { granted, acquire, groups } = acquirer(new FairSemaphore({ limit: 3, groupLimit: 2 }));
  for (const group of ['a', 'a', 'a', 'b']) void acquire(group);
  await settled();
  expect(groups()).toEqual(['a', 'a', 'b']);
  granted[2]?.release();
  await settled();
  expect(granted).toHaveLength(3);
  granted[0]?.release();
  await settled();
  expect(groups()).toEqual(['a', 'a', 'b', 'a']);
});

it('limits each key separately', async () => {
  const semaphore = new FairSemaphore({ limit: 1 });
  expect(await semaphore.acquire('a', '', never)).not.toBeNull();
  expect(await semaphore.acquire('b', '', never)).not.toBeNull();
});

it('a task that is cancelled leaves the queue', async () => {
  const { granted, acquire, groups } = acquirer(new FairSemaphore({ limit: 1 }));
  let cancel = () => undefined as void;
  await acquire('a');
  const waiting = acquire('b', (callback) => {
    cancel = callback;
    return () => undefined;
  });
  void acquire('c');
  cancel();
  expect(await waiting).toBeNull();
  granted[0]?.release();
  await settled();
  expect(groups()).toEqual(['a', 'c']);
});

it('keeps both limits, and every task gets a slot, in any order of calls', async () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 200; round += 1) {
    const [limit, groupLimit] = [1 + random(6), 1 + random(4)];
    const { granted, acquire } = acquirer(new FairSemaphore({ limit, groupLimit }));
    const running: typeof granted = [];
    let taken = 0;
    let asked = 0;
    while (asked < 60 || running.length > 0) {
      if (asked < 60 && random(2) === 0) {
        asked += 1;
        void acquire(`group ${random(5)}`);
      } else running.splice(random(running.length || 1), 1)[0]?.release();
      await settled();
      running.push(...granted.slice(taken));
      taken = granted.length;
      expect(running.length).toBeLessThanOrEqual(limit);
      for (const { group } of running)
        expect(running.filter((other) => other.group === group).length).toBeLessThanOrEqual(groupLimit);
    }
    expect(granted).toHaveLength(60);
  }
});

it('refuses at once when too many of a group wait, and after the time of a caller', async () => {
  const semaphore = new FairSemaphore({ limit: 1, waitingLimit: 1 });
  expect(semaphore.tryAcquire('key', 'a')).not.toBeNull();
  expect(semaphore.tryAcquire('key', 'a')).toBeNull();
  const late = semaphore.acquire('key', 'a', afterMs(1));
  expect(await semaphore.acquire('key', 'a', never)).toBeNull();
  expect(await late).toBeNull();
});

it('gives waiting callers what a grown limit allows, before others', async () => {
  let limit = 1;
  const semaphore = new FairSemaphore({ limit: () => limit });
  const first = semaphore.tryAcquire('key', 'a');
  const waiting = [semaphore.acquire('key', 'a', never), semaphore.acquire('key', 'a', never)];
  limit = 2;
  expect(semaphore.tryAcquire('key', 'a')).toBeNull();
  first?.();
  expect(await Promise.all(waiting)).not.toContain(null);
  expect(semaphore.tryAcquire('key', 'a')).toBeNull();
});

it('rejects those that wait for a key, and nobody else', async () => {
  const semaphore = new FairSemaphore({ limit: 1 });
  const release = await semaphore.acquire('silent', 'a', never);
  const other = await semaphore.acquire('other', 'a', never);
  const waiting = ['a', 'b'].map((group) => semaphore.acquire('silent', group, afterMs(10_000)));
  const elsewhere = semaphore.acquire('other', 'a', never);
  semaphore.rejectWaiting('silent', new Error('silent'));
  for (const each of waiting) await expect(each).rejects.toThrow('silent');
  release?.();
  expect(semaphore.tryAcquire('silent', 'a')).not.toBeNull();
  other?.();
  expect(await elsewhere).not.toBeNull();
});

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
