import { describe, expect, it } from '@jest/globals';
import { abortable, onePerTurn, pause, withTimeout } from './waiting.js';

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
