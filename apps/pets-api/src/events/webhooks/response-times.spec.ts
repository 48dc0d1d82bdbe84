import { describe, expect, it } from '@jest/globals';
import { bucketOf, quantileOf, RESPONSE_TIME_BUCKETS } from './webhook-statistics.repository.js';

function histogramOf(times: readonly number[]): number[] {
  const histogram = new Array<number>(RESPONSE_TIME_BUCKETS).fill(0);
  for (const time of times) histogram[bucketOf(time)] = (histogram[bucketOf(time)] ?? 0) + 1;
  return histogram;
}

describe('a quantile', () => {
  it.each([0, 1, 2, 3, 7, 38, 100, 999, 5_000, 20_000])('of one time of %d ms is right to 5 percent', (time) => {
    const found = quantileOf(histogramOf([time]), 0.5) ?? Number.NaN;
    expect(Math.abs(found - time)).toBeLessThanOrEqual(Math.max(1, time * 0.05));
  });

  it('is the time that this share took at most', () => {
    const times = Array.from({ length: 100 }, (_, index) => (index + 1) * 10);
    const histogram = histogramOf(times);
    expect([0.5, 0.95, 1].map((share) => quantileOf(histogram, share))).toEqual([
      expect.closeTo(500, -2),
      expect.closeTo(950, -2),
      expect.closeTo(1_000, -2),
    ]);
  });

  it('of nothing is null', () => {
    expect(quantileOf(histogramOf([]), 0.5)).toBeNull();
  });
});

it('times beyond the last bucket are counted in it', () => {
  expect([bucketOf(22_000), bucketOf(1e9)].map((bucket) => bucket < RESPONSE_TIME_BUCKETS)).toEqual([true, true]);
  expect(bucketOf(1e9)).toBe(RESPONSE_TIME_BUCKETS - 1);
});
