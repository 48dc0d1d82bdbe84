import { describe, expect, it } from '@jest/globals';
import { StartPace } from './tenant-shares.js';

const WAIT_MS = 2_000;

/** When so many requests that arrive together start, in milliseconds; null for those that do not. */
function starts(pace: StartPace, count: number, limit: number, nowMs = 0): (number | null)[] {
  return Array.from({ length: count }, () => {
    const delayMs = pace.reserve('a', limit, WAIT_MS, nowMs);
    return delayMs === null ? null : nowMs + delayMs;
  });
}

describe('the pace of starts', () => {
  it.each([100, 1_000, 10_000])('lets at most a fifth of %i a minute start in any second', (limit) => {
    const pace = new StartPace();
    const all = [0, 700, 1_400, 2_100].flatMap((nowMs) => starts(pace, limit, limit, nowMs));
    const started = all.filter((at) => at !== null).sort((a, b) => a - b);
    const most = limit / 5;
    const intervals = started.slice(most).map((at, index) => at - (started[index] ?? NaN));
    expect(intervals.length).toBeGreaterThan(most);
    expect(Math.min(...intervals)).toBeGreaterThanOrEqual(999.9);
  });

  it.each([
    [60, 6, 18],
    [1_000, 16, 384],
  ])('lets few of %i a minute start at once, and refuses what would wait for too long', (limit, atOnce, inTime) => {
    const all = starts(new StartPace(), limit, limit);
    expect(all.filter((at) => at === 0)).toHaveLength(atOnce);
    expect(all.filter((at) => at !== null)).toHaveLength(inTime);
    expect(Math.max(...all.filter((at) => at !== null))).toBeLessThanOrEqual(WAIT_MS);
  });

  it('delays nobody who sends evenly, and nobody without a limit', () => {
    const pace = new StartPace();
    for (let nowMs = 0; nowMs < 60_000; nowMs += 60) expect(pace.reserve('a', 1_000, WAIT_MS, nowMs)).toBe(0);
    expect(starts(pace, 1_000, Infinity).every((at) => at === 0)).toBe(true);
  });

  it('does not delay one organization for another', () => {
    const pace = new StartPace();
    starts(pace, 1_000, 1_000);
    expect(pace.reserve('b', 1_000, WAIT_MS, 0)).toBe(0);
  });
});
