import { describe, expect, it } from '@jest/globals';
import { exponentialDelayMs, retry } from './retry.js';

/** Fails so many times, then returns the number of attempts. */
function failing(failures: number) {
  let attempts = 0;
  return async () => {
    attempts += 1;
    if (attempts <= failures) throw new Error(`failure ${attempts}`);
    return attempts;
  };
}

describe('exponentialDelayMs', () => {
  it.each([
    [1, 200],
    [2, 400],
    [5, 3_200],
    [6, 5_000],
    [2_000, 5_000],
  ])('after %d failures is %d ms', (failures, delayMs) => {
    expect(exponentialDelayMs({ firstMs: 200, maxMs: 5_000 }, failures)).toBe(delayMs);
  });

  it('is 0 after any number of failures when the first delay is 0', () => {
    expect(exponentialDelayMs({ firstMs: 0, maxMs: 5_000 }, 2_000)).toBe(0);
  });
});

describe('retry', () => {
  it('repeats the attempt until it succeeds', async () => {
    expect(await retry(failing(3), { nextDelayMs: () => 0 })).toBe(4);
  });

  it('throws the last error when there is no further attempt', async () => {
    const nextDelayMs = (failures: number) => (failures < 3 ? 0 : null);
    await expect(retry(failing(9), { nextDelayMs })).rejects.toThrow('failure 3');
  });

  it('makes one last attempt when the signal is aborted during a pause', async () => {
    const controller = new AbortController();
    const result = retry(failing(9), { nextDelayMs: () => 60_000, signal: controller.signal });
    setImmediate(() => controller.abort());
    await expect(result).rejects.toThrow('failure 2');
  });

  it('makes no further attempt when the signal was aborted before a failure', async () => {
    const result = retry(failing(9), { nextDelayMs: () => 0, signal: AbortSignal.abort() });
    await expect(result).rejects.toThrow('failure 1');
  });
});
