import { describe, expect, it } from '@jest/globals';
import { CircuitBreaker } from './circuit-breaker.js';

describe('a circuit breaker', () => {
  it('opens after failures in a row, admits one trial after a while, and closes when it succeeds', () => {
    let nowMs = 0;
    const breaker = new CircuitBreaker({ failures: 2, openMs: 1_000, nowMs: () => nowMs });
    for (const hasSucceeded of [false, true, false]) breaker.record(hasSucceeded);
    expect(breaker.admit()).toBe(true);
    breaker.record(false);
    expect(breaker.admit()).toBe(false);
    nowMs = 1_000;
    expect([breaker.admit(), breaker.admit()]).toEqual([true, false]);
    breaker.record(false);
    nowMs = 1_999;
    expect(breaker.admit()).toBe(false);
    nowMs = 2_000;
    expect(breaker.admit()).toBe(true);
    breaker.record(true);
    expect([breaker.admit(), breaker.admit()]).toEqual([true, true]);
  });
});
