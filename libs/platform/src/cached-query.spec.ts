import { describe, expect, it } from '@jest/globals';
import { CachedQuery } from './cached-query.js';

const KEEP_MS = 1_000;

/** A reading whose clock and results the test holds. */
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

describe('CachedReading', () => {
  it('reads once for those who ask at the same time', async () => {
    const { current } = reading(async (count) => count);
    expect(await Promise.all([current(), current()])).toEqual([1, 1]);
  });

  it('keeps what was read, and reads anew afterwards', async () => {
    const { state, current } = reading(async (count) => count);
    await current();
    state.nowMs = KEEP_MS - 1;
    expect(await current()).toBe(1);
    state.nowMs = KEEP_MS;
    expect(await current()).toBe(2);
  });

  it('takes a twentieth of the time at most', async () => {
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

  it('tells of a failure and does not try again at once', async () => {
    const { state, current } = reading(async () => Promise.reject(new Error('away')));
    expect([await current(), await current()]).toEqual([null, null]);
    expect([state.count, state.failures]).toEqual([1, [new Error('away')]]);
  });

  it('hands out what was read before when the next reading takes long', async () => {
    const { state, current } = reading((count) => (count === 1 ? Promise.resolve(1) : new Promise(() => undefined)), 5);
    await current();
    state.nowMs = KEEP_MS;
    expect([await current(), state.failures.length]).toEqual([1, 1]);
  });

  it('does not wait for longer than its limit, nor read a second time meanwhile', async () => {
    const { state, current } = reading(() => new Promise<never>(() => undefined), 5);
    expect([await current(), await current()]).toEqual([null, null]);
    expect([state.count, state.failures.length]).toEqual([1, 2]);
  });
});
