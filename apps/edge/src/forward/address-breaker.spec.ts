import { describe, expect, it } from '@jest/globals';
import { AddressBreaker } from './address-breaker.js';

function failing(times: number): AddressBreaker {
  const breaker = new AddressBreaker();
  for (let count = 0; count < times; count++) breaker.failed('a', 0);
  return breaker;
}

describe('an address to which connections fail', () => {
  it('is tried until the third failure in a row', () => {
    expect(failing(2).admit('a', 0)).toBe(true);
    expect(failing(3).admit('a', 0)).toBe(false);
    expect(failing(3).admit('b', 0)).toBe(true);
  });

  it('gets one trial after its time', () => {
    const breaker = failing(3);
    expect(breaker.admit('a', 999)).toBe(false);
    expect(breaker.admit('a', 1_000)).toBe(true);
    expect(breaker.admit('a', 1_001)).toBe(false);
  });

  it.each([
    [3, 1_000],
    [4, 2_000],
    [5, 4_000],
    [8, 30_000],
    [500, 30_000],
  ])('after %d failures is left alone for %d ms', (failures, openMs) => {
    expect(failing(failures).admit('a', openMs - 1)).toBe(false);
    expect(failing(failures).admit('a', openMs)).toBe(true);
  });

  it('is as any other after a success, and when the host has other addresses', () => {
    const [succeeded, moved] = [failing(9), failing(9)];
    succeeded.succeeded('a');
    moved.keep(['b']);
    expect([succeeded.admit('a', 0), moved.admit('a', 0)]).toEqual([true, true]);
  });
});
