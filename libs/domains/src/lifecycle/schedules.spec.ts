import { describe, expect, it } from '@jest/globals';
import {
  isRecentlyRequested,
  jitterOf,
  nextDanglingCheck,
  nextDriftCheck,
  nextPoll,
  nextProbe,
  nextRetry,
  spreadFirstCheck,
  unwatchedRequestAt,
} from './schedules.js';

const t0 = new Date('2026-01-01T00:00:00Z');
const after = (seconds: number) => new Date(t0.getTime() + seconds * 1000);
const secondsFrom = (from: Date, to: Date | null) => (to === null ? null : (to.getTime() - from.getTime()) / 1000);

describe('DNS polling', () => {
  it.each([
    // seconds since the click, pause until the next check
    [0, 2],
    [8, 2],
    [20, 5],
    [240, 60],
    [3_600, 600],
    [47 * 3_600, 600],
    [48 * 3_600, null],
    [60 * 3_600, null],
  ])('%d s after the last click the pause is %p s', (waited, pause) => {
    expect(secondsFrom(after(waited), nextPoll(t0, after(waited)))).toBe(pause);
  });

  it('has the longest pause from the start for names that nobody watches', () => {
    const requestedAt = unwatchedRequestAt(t0);
    expect(isRecentlyRequested(requestedAt, t0)).toBe(false);
    expect(secondsFrom(after(1), nextPoll(requestedAt, after(1)))).toBe(600);
  });
});

describe('the first check of a name that nobody watches', () => {
  it.each([
    // names added together, share, seconds
    [100, 0, 0],
    [1_000, 0.5, 2.5],
    [100_000, 0.5, 250],
    [1_000_000, 0.5, 300],
  ])('of %d names, with a share of %d before it, comes after %d s', (names, share, pause) => {
    expect(secondsFrom(t0, spreadFirstCheck(names, share, t0))).toBe(pause);
  });
});

describe('drift checks', () => {
  it.each([
    [0, 0, 2_700],
    [0, 0.5, 3_150],
    [23, 0.999999, 3_600],
    [24, 0, 16_200],
    [35, 0.999999, 21_600],
    [36, 0, 64_800],
    [1_000_000, 0.999999, 86_400],
  ])('after %d without a change, with jitter %d, come after %d s', (unchanged, jitter, pause) => {
    expect(secondsFrom(t0, nextDriftCheck(unchanged, jitter, t0))).toBeCloseTo(pause, 1);
  });

  it.each([
    ['00000000-4b6e-4f7a-9e55-1d2c3b4a5f60', 0],
    ['80000000-4b6e-4f7a-9e55-1d2c3b4a5f60', 0.5],
    ['ffffffff-4b6e-4f7a-9e55-1d2c3b4a5f60', 1],
  ])('of %s are spread by %d', (id, jitter) => {
    expect(jitterOf(id)).toBeCloseTo(jitter, 6);
    expect(jitterOf(id)).toBeLessThan(1);
  });
});

describe('the watch of a removed domain', () => {
  const hour = 3_600;
  it.each([
    [0, hour],
    [hour, 24 * hour],
    [25 * hour, 24 * hour],
    [6 * 24 * hour, 24 * hour],
    [6 * 24 * hour + hour, null],
    [30 * 24 * hour, null],
  ])('%d s after the removal continues in %p s', (waited, pause) => {
    expect(secondsFrom(after(waited), nextDanglingCheck(t0, after(waited)))).toBe(pause);
  });
});

describe('CA attempts', () => {
  it.each([
    [0, 60],
    [1, 60],
    [2, 600],
    [3, 6_000],
    [4, 86_400],
    [50, 86_400],
  ])('after failure %d the next one waits %d s', (failures, pause) => {
    expect(secondsFrom(t0, nextRetry(failures, t0))).toBe(pause);
  });
});

describe('edge probes', () => {
  it.each([
    [0, 1],
    [3, 8],
    [6, 60],
    [59, 60],
    [60, 900],
    [1_000, 900],
  ])('after %d failures the next one waits %d s', (failures, pause) => {
    expect(secondsFrom(t0, nextProbe(failures, t0))).toBe(pause);
  });
});

it.each([
  [0, true],
  [15 * 60 - 1, true],
  [15 * 60, false],
])('an owner watches for a quarter of an hour after a request: %d seconds later %s', (seconds, watches) => {
  const requestedAt = new Date('2026-01-01T00:00:00Z');
  expect(isRecentlyRequested(requestedAt, new Date(requestedAt.getTime() + seconds * 1_000))).toBe(watches);
});
