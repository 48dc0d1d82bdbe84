import { describe, expect, it } from '@jest/globals';
import { FeedAges } from './readings.service.js';

describe('the age of the first change that an edge lacks', () => {
  it('is 0 for an edge that has the newest version', () => {
    const ages = new FeedAges();
    ages.record(7, 0);
    expect(ages.secondsBehind(7, 60_000)).toBe(0);
  });

  it('counts from when a later version was seen first, however many follow', () => {
    const ages = new FeedAges();
    ages.record(7, 0);
    ages.record(8, 10_000);
    ages.record(8, 20_000);
    ages.record(900, 30_000);
    expect(ages.secondsBehind(7, 40_000)).toBe(30);
    expect(ages.secondsBehind(8, 40_000)).toBe(10);
    expect(ages.secondsBehind(900, 40_000)).toBe(0);
  });

  it('starts again when a restored database has a lower version', () => {
    const ages = new FeedAges();
    ages.record(900, 0);
    ages.record(7, 10_000);
    expect(ages.secondsBehind(7, 20_000)).toBe(0);
    expect(ages.secondsBehind(6, 20_000)).toBe(10);
  });

  it('forgets the oldest of very many samples', () => {
    const ages = new FeedAges();
    for (let version = 1; version <= 3_000; version += 1) ages.record(version, version * 1_000);
    expect(ages.secondsBehind(0, 3_000_000)).toBe(2_047);
  });
});
