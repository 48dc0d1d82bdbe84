import { describe, expect, it } from '@jest/globals';
import { ackIntervalMs, countedContact, leaseMs, mayServe } from './staleness.js';

describe('mayServe', () => {
  it.each<[string, number | undefined, number, boolean]>([
    ['never in contact', undefined, 1_000, false],
    ['just in contact', 100_000, 100_000, true],
    ['within the lease', 100_000, 109_999, true],
    ['at the end of the lease', 100_000, 110_000, false],
    ['long after', 100_000, 1_000_000, false],
    ['a clock slewed back a little', 100_000, 99_500, true],
    ['a clock set back', 100_000, 90_000, false],
  ])('%s', (_name, contactAt, now, expected) => expect(mayServe(contactAt, now, 10_000)).toBe(expected));
});

describe('lease', () => {
  it.each([
    [0, 5_000, 2_000],
    [3, 5_000, 2_000],
    [60, 60_000, 5_000],
    [86_400, 86_400_000, 5_000],
  ])('%d s of staleness is a lease of %d ms, renewed every %d ms', (seconds, lease, interval) => {
    expect(leaseMs(seconds)).toBe(lease);
    expect(ackIntervalMs(lease)).toBe(interval);
  });
});

describe('a contact that is ahead of the clock', () => {
  const day = 86_400_000;
  it.each<[string, number, number, number | undefined]>([
    ['within the tolerance counts as it is', 1_000, day, 1_000],
    ['by up to five minutes leaves five minutes', 300_000, day, 300_000 - day],
    ['leaves no more than the lease', 300_000, 60_000, 0],
    ['by more than five minutes proves nothing', 300_001, day, undefined],
  ])('%s', (_name, aheadMs, lease, counted) => {
    expect(countedContact(aheadMs, 0, lease)).toBe(counted);
  });
});
