import { describe, expect, it } from '@jest/globals';
import { BodyProgress } from './body-progress.js';

describe('a body that is waited for', () => {
  it('is stalled after 10 s without a byte', () => {
    const progress = new BodyProgress();
    progress.wait(0);
    expect([progress.isStalled(10_000), progress.isStalled(10_001)]).toEqual([false, true]);
  });

  it('is stalled below 16 KiB in 10 s, and not at that rate', () => {
    const sending = (bytes: number) => {
      const progress = new BodyProgress();
      progress.wait(0);
      for (let atMs = 1_000; atMs <= 60_000; atMs += 1_000) {
        if (progress.isStalled(atMs)) return atMs;
        progress.received(bytes, atMs);
      }
      return undefined;
    };
    expect(sending(1_700)).toBeUndefined();
    expect(sending(800)).toBeGreaterThan(15_000);
    expect(sending(1)).toBe(11_000);
  });

  it('has all of its time while the application does not take what is there', () => {
    const progress = new BodyProgress();
    progress.wait(0);
    progress.pause(9_000);
    expect([progress.isWaiting, progress.isStalled(100_000)]).toEqual([false, false]);
    progress.wait(100_000);
    expect([progress.isStalled(101_000), progress.isStalled(101_001)]).toEqual([false, true]);
  });
});
