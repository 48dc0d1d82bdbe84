import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import fc from 'fast-check';
import { ackIntervalMs, countedContact, Lease, leaseMs, mayServe } from './lease.js';

function leaseAt(startMs: number) {
  const clock = { nowMs: startMs };
  return { clock, lease: new Lease(10, () => clock.nowMs) };
}

describe('Lease', () => {
  it('is not valid before the first contact', () => expect(leaseAt(0).lease.isValid()).toBe(false));

  it('counts from the time at which an acknowledgement was sent, not from its contact', () => {
    const { clock, lease } = leaseAt(100_000);
    lease.grant(100_000);
    clock.nowMs = 104_000;
    lease.renew(103_000);
    clock.nowMs = 112_999;
    expect(lease.isValid()).toBe(true);
    clock.nowMs = 113_000;
    expect(lease.isValid()).toBe(false);
  });

  it('is not revived by a contact that comes after it lapsed', () => {
    const { clock, lease } = leaseAt(100_000);
    lease.grant(100_000);
    clock.nowMs = 110_500;
    expect(lease.renew(109_500)).toBe(false);
    expect(lease.isValid()).toBe(false);
  });

  it('is revived by a new grant', () => {
    const { clock, lease } = leaseAt(100_000);
    lease.grant(100_000);
    clock.nowMs = 200_000;
    lease.grant(199_900);
    expect(lease.isValid()).toBe(true);
  });

  it('is not shortened by an older contact', () => {
    const { clock, lease } = leaseAt(100_000);
    lease.grant(100_000);
    expect(lease.renew(99_000)).toBe(false);
    clock.nowMs = 109_999;
    expect(lease.isValid()).toBe(true);
  });

  it('is not prolonged by a clock that is set back', async () => {
    const { clock, lease } = leaseAt(109_950);
    lease.grant(100_000); // ends in 50 ms
    clock.nowMs = 101_000;
    await waitUntil(() => !lease.isValid());
  });

  it('is never longer than the last contact allows, whatever the clock does', () => {
    const bound = 5 * 60_000;
    fc.assert(
      fc.property(
        fc.integer({ min: 5, max: 1_200 }),
        fc.array(fc.integer({ min: -900, max: 900 })),
        (seconds, steps) => {
          // The time that really passes is 0 here; so each validity is as long as a new lease, whatever was corrected before.
          const clock = { nowMs: 1e12 };
          const lease = new Lease(seconds, () => clock.nowMs);
          lease.grant(clock.nowMs);
          const ends: number[] = [lease.endsAtMs];
          for (const step of steps) {
            clock.nowMs += step * 1_000;
            lease.correct();
            ends.push(lease.endsAtMs);
            if (lease.isValid()) expect(clock.nowMs - (lease.contactAtMs ?? 0)).toBeLessThan(lease.durationMs);
          }
          expect(ends).toEqual(ends.toSorted((a, b) => b - a));
          // A restart knows only the stored contact, and grants no more than the documented bound if that is ahead.
          const stored = (lease.contactAtMs ?? clock.nowMs) + 2_000;
          const restarted = new Lease(seconds, () => stored - 1_500);
          restarted.grant(stored);
          restarted.correct();
          expect(restarted.endsAtMs - performance.now()).toBeLessThanOrEqual(bound);
        },
      ),
    );
  });

  it('ends at once', () => {
    const { lease } = leaseAt(100_000);
    lease.grant(100_000);
    lease.end();
    expect(lease.isValid()).toBe(false);
    expect(lease.renew(100_000)).toBe(false);
  });
});

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
