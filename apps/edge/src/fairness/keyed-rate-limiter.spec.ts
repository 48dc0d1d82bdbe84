import { describe, expect, it } from '@jest/globals';
import { KeyedRateLimiter } from './keyed-rate-limiter.js';

interface Item {
  readonly name: string;
  isGone?: boolean;
}

function createFixture(perSecond: number, maxWaitMs = 5_000) {
  const started: string[] = [];
  const timers: { readonly atMs: number; readonly work: () => void }[] = [];
  let nowMs = 1_000;
  const limiter = new KeyedRateLimiter<string, Item>({
    perSecond,
    maxWaitMs,
    start: ({ name }) => void started.push(name),
    isGone: ({ isGone }) => isGone === true,
    now: () => nowMs,
    schedule: (work, delayMs) => void timers.push({ atMs: nowMs + delayMs, work }),
  });
  return {
    timers,
    addItem: (key: string, item: Item) => limiter.add(key, item),
    /** @returns the items that start at once */
    add: (key: string, ...names: string[]) => {
      for (const name of names) limiter.add(key, { name });
      return started.splice(0);
    },
    /** @returns the items that start meanwhile */
    pass: (ms: number) => {
      const endMs = nowMs + ms;
      for (let [next] = timers; next !== undefined && next.atMs <= endMs; [next] = timers) {
        timers.shift();
        nowMs = next.atMs;
        next.work();
      }
      nowMs = endMs;
      return started.splice(0);
    },
  };
}

describe('KeyedRateLimiter', () => {
  it('starts the items of one second at once, and further ones at the rate, in order', () => {
    const fixture = createFixture(2);
    expect(fixture.add('a', '1', '2', '3', '4')).toEqual(['1', '2']);
    expect(fixture.pass(499)).toEqual([]);
    expect(fixture.pass(2)).toEqual(['3']);
    expect(fixture.pass(498)).toEqual([]);
    expect(fixture.pass(2)).toEqual(['4']);
  });

  it('keeps the rate when many items arrive at once', () => {
    const fixture = createFixture(10);
    const names = Array.from({ length: 40 }, (_, index) => String(index));
    const started = [...fixture.add('a', ...names), ...fixture.pass(1_000)];
    expect(started).toEqual(names.slice(0, started.length));
    expect(started.length).toBeGreaterThanOrEqual(19);
    expect(started.length).toBeLessThanOrEqual(20);
  });

  it('does not delay one key because of another', () => {
    const fixture = createFixture(1);
    expect(fixture.add('a', 'a1', 'a2', 'a3')).toEqual(['a1']);
    expect(fixture.add('b', 'b1')).toEqual(['b1']);
  });

  it('starts no new item before those that wait', () => {
    const fixture = createFixture(1);
    fixture.add('a', '1', '2');
    fixture.pass(995);
    expect(fixture.add('a', '3')).toEqual([]);
    expect(fixture.pass(20)).toEqual(['2']);
  });

  it('restores the complete allowance after a second without items', () => {
    const fixture = createFixture(2);
    fixture.add('a', '1', '2');
    fixture.pass(1_000);
    expect(fixture.add('a', '3', '4', '5')).toEqual(['3', '4']);
  });

  it('does not count items that are gone when their time comes', () => {
    const fixture = createFixture(1);
    const leaving: Item = { name: 'leaving' };
    fixture.add('a', '1');
    fixture.addItem('a', leaving);
    fixture.add('a', '2');
    leaving.isGone = true;
    expect(fixture.pass(1_010)).toEqual(['2']);
  });

  it('refuses items that would wait for too long', () => {
    const fixture = createFixture(2, 1_500);
    fixture.add('a', '1', '2', '3', '4', '5');
    expect(fixture.addItem('a', { name: '6' })).toBe(false);
    expect(fixture.addItem('b', { name: 'b1' })).toBe(true);
    fixture.pass(510);
    expect(fixture.addItem('a', { name: '7' })).toBe(true);
  });

  it('sets no timer when nothing waits', () => {
    const fixture = createFixture(1);
    fixture.add('a', '1', '2');
    fixture.pass(2_000);
    expect(fixture.timers).toEqual([]);
  });
});
