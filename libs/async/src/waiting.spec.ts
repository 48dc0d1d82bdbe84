import { describe, expect, it } from '@jest/globals';
import { abortable, AutoResetEvent, exponentialDelayMs, onePerTurn, pause, retry, withTimeout } from './waiting.js';

const never = new Promise<never>(() => undefined);

describe('withTimeout', () => {
  it('returns the value of the promise', async () => {
    expect(await withTimeout(Promise.resolve(1), 1_000, 'reading')).toBe(1);
  });

  it('rejects with the error of the promise', async () => {
    await expect(withTimeout(Promise.reject(new Error('broken')), 1_000, 'reading')).rejects.toThrow('broken');
  });

  it('rejects after the limit and names the work', async () => {
    await expect(withTimeout(never, 5, 'reading')).rejects.toThrow('reading: timed out after 5 ms');
  });
});

describe('abortable', () => {
  it('returns the value of the promise', async () => {
    expect(await abortable(Promise.resolve(1), new AbortController().signal)).toBe(1);
  });

  it('rejects with the reason of the signal', async () => {
    const controller = new AbortController();
    const waiting = abortable(never, controller.signal);
    controller.abort(new Error('stopping'));
    await expect(waiting).rejects.toThrow('stopping');
  });

  it('rejects at once when the signal is aborted already', async () => {
    await expect(abortable(never, AbortSignal.abort(new Error('stopping')))).rejects.toThrow('stopping');
  });
});

describe('pause', () => {
  it('ends as soon as the signal is aborted', async () => {
    const controller = new AbortController();
    const pausing = pause(60_000, controller.signal);
    controller.abort();
    await pausing;
  });

  it('ends at once when the signal is aborted already', async () => {
    await pause(60_000, AbortSignal.abort());
  });
});

describe('onePerTurn', () => {
  it('lets callers go on one by one, each in a turn of its own', async () => {
    const turn = onePerTurn();
    const log: string[] = [];
    const callers = ['a', 'b', 'c'].map(async (name) => {
      await turn();
      log.push(name);
      setImmediate(() => log.push('turn'));
    });
    await Promise.all(callers);
    expect(log.filter((entry) => entry !== 'turn')).toEqual(['a', 'b', 'c']);
    expect(log.join(' ')).not.toMatch(/a b|b c/);
  });
});

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

/** Beyond the limit of a test, so that a wait that the event does not end fails it. */
const NEVER_MS = 60_000;

describe('AutoResetEvent', () => {
  it('ends a wait when it is set', async () => {
    const event = new AutoResetEvent();
    const waiting = event.wait(NEVER_MS);
    event.set();
    await waiting;
  });

  it('ends the next wait when it is set before', async () => {
    const event = new AutoResetEvent();
    event.set();
    await event.wait(NEVER_MS);
  });

  it('ends one wait only, however often it was set before', async () => {
    const event = new AutoResetEvent();
    event.set();
    event.set();
    await event.wait(NEVER_MS);
    const startedMs = performance.now();
    await event.wait(50);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(49);
  });
});
