import { describe, expect, it } from '@jest/globals';
import { shareOf } from './process-limits.js';

describe('the part of a limit per address that each process enforces', () => {
  it.each([
    [256, 1, 256],
    [256, 2, 162],
    [256, 4, 88],
    [256, 64, 10],
    [100, 2, 72],
    [1, 2, 1],
    [0, 4, 0],
  ])('of %d among %d processes is %d', (limit, processes, share) => {
    expect(shareOf(limit, processes)).toBe(share);
  });
});
