import { describe, expect, it } from '@jest/globals';
import { KeyedRateLimiter } from './keyed-rate-limiter.js';

interface Item {
  readonly name: string;
  isGone?: boolean;
}

function setUp(perSecond: number, longestWaitMs = 5_000) {
  const begun: string[] = [];
  const clock = { nowMs: 1_000, due: [] as { readonly atMs: number; readonly work: () => void }[] };
  const pace = new KeyedRateLimiter<string, Item>({
    perSecond,
    longestWaitMs,
    begin: ({ name }) => void begun.push(name),
    isGone: ({ isGone }) => isGone === true,
    now: () => clock.nowMs,
    later: (work, ms) => void clock.due.push({ atMs: clock.nowMs + ms, work }),
  });
  return {
    take: (key: string, ...names: string[]) => {
      for (const name of names) pace.take(key, { name });
      return begun.splice(0);
    },
    takeItem: (key: string, item: Item) => pace.take(key, item),
    /** @returns what began meanwhile */
    pass: (ms: number) => {
      const endMs = clock.nowMs + ms;
      for (let [next] = clock.due; next !== undefined && next.atMs <= endMs; [next] = clock.due) {
        clock.due.shift();
        clock.nowMs = next.atMs;
        next.work();
      }
      clock.nowMs = endMs;
      return begun.splice(0);
    },
    clock,
  };
}

describe('a pace', () => {
  it('lets a second’s worth begin at once, and what comes beyond it step by step, in order', () => {
    const { take, pass } = setUp(2);
    expect(take('a', '1', '2', '3', '4')).toEqual(['1', '2']);
    expect(pass(499)).toEqual([]);
    expect(pass(2)).toEqual(['3']);
    expect(pass(498)).toEqual([]);
    expect(pass(2)).toEqual(['4']);
  });

  it('holds whatever is brought', () => {
    const { take, pass } = setUp(10);
    const names = Array.from({ length: 40 }, (_, index) => String(index));
    const begun = [...take('a', ...names), ...pass(1_000)];
    expect(begun).toEqual(names.slice(0, begun.length));
    expect(begun.length).toBeGreaterThanOrEqual(19);
    expect(begun.length).toBeLessThanOrEqual(20);
  });

  it('lets nobody wait for another', () => {
    const { take } = setUp(1);
    expect(take('a', 'a1', 'a2', 'a3')).toEqual(['a1']);
    expect(take('b', 'b1')).toEqual(['b1']);
  });

  it('lets nobody pass those who wait', () => {
    const { take, pass } = setUp(1);
    take('a', '1', '2');
    pass(995);
    expect(take('a', '3')).toEqual([]);
    expect(pass(20)).toEqual(['2']);
  });

  it('gives all of it again to who began nothing for a second', () => {
    const { take, pass } = setUp(2);
    take('a', '1', '2');
    pass(1_000);
    expect(take('a', '3', '4', '5')).toEqual(['3', '4']);
  });

  it('is not used up by what has left', () => {
    const { take, takeItem, pass } = setUp(1);
    const leaving: Item = { name: 'leaving' };
    take('a', '1');
    takeItem('a', leaving);
    take('a', '2');
    leaving.isGone = true;
    expect(pass(1_010)).toEqual(['2']);
  });

  it('takes none whose turn would come too late', () => {
    const { take, takeItem, pass } = setUp(2, 1_500);
    take('a', '1', '2', '3', '4', '5');
    expect(takeItem('a', { name: '6' })).toBe(false);
    expect(takeItem('b', { name: 'b1' })).toBe(true);
    pass(510);
    expect(takeItem('a', { name: '7' })).toBe(true);
  });

  it('looks no further when nobody waits', () => {
    const { take, pass, clock } = setUp(1);
    take('a', '1', '2');
    pass(2_000);
    expect(clock.due).toEqual([]);
  });
});
