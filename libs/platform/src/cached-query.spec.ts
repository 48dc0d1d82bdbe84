import { describe, expect, it } from '@jest/globals';
import { CachedQuery } from './cached-query.js';

const KEEP_MS = 1_000;

/** A query with a clock and results that the test controls. */
function reading(read: (count: number) => Promise<number>, limitMs = 5_000) {
  const state = { nowMs: 0, count: 0, failures: [] as unknown[] };
  const limits = { keepMs: KEEP_MS, limitMs, onFailure: (error: unknown) => void state.failures.push(error) };
  const cached = new CachedQuery(
    () => read((state.count += 1)),
    limits,
    () => state.nowMs,
  );
  return { state, current: () => cached.current() };
}

describe('CachedQuery', () => {
  it('runs once for concurrent callers', async () => {
    const { current } = reading(async (count) => count);
    expect(await Promise.all([current(), current()])).toEqual([1, 1]);
  });

  it('returns a result until its time is over, then runs again', async () => {
    const { state, current } = reading(async (count) => count);
    await current();
    state.nowMs = KEEP_MS - 1;
    expect(await current()).toBe(1);
    state.nowMs = KEEP_MS;
    expect(await current()).toBe(2);
  });

  it('runs at most a twentieth of the time', async () => {
    const { state, current } = reading(async (count) => {
      state.nowMs += 200;
      return count;
    });
    await current();
    state.nowMs = 200 + 19 * 200 - 1;
    expect(await current()).toBe(1);
    state.nowMs += 1;
    expect(await current()).toBe(2);
  });

  it('reports a failure and does not retry at once', async () => {
    const { state, current } = reading(async () => Promise.reject(new Error('unavailable')));
    expect(await current()).toBeNull();
    expect(await current()).toBeNull();
    expect(state.count).toBe(1);
    expect(state.failures).toEqual([new Error('unavailable')]);
  });

  it('returns the previous result when a run takes longer than the limit', async () => {
    const { state, current } = reading((count) => (count === 1 ? Promise.resolve(1) : new Promise(() => undefined)), 5);
    await current();
    state.nowMs = KEEP_MS;
    expect(await current()).toBe(1);
    expect(state.failures).toHaveLength(1);
  });

  it('does not start a second run while a slow one is running', async () => {
    const { state, current } = reading(() => new Promise<never>(() => undefined), 5);
    expect(await current()).toBeNull();
    expect(await current()).toBeNull();
    expect(state.count).toBe(1);
    expect(state.failures).toHaveLength(2);
  });
});
