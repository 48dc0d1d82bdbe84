import { describe, expect, it } from '@jest/globals';
import { backOffMs } from './back-off.js';

describe('backOffMs', () => {
  it.each([
    [1, 100, 200],
    [2, 200, 400],
    [5, 1_600, 3_200],
    [6, 2_500, 5_000],
    [1_000, 2_500, 5_000],
  ])('after %d failures waits from %d to %d ms', (failures, least, most) => {
    expect(backOffMs(failures, 0)).toBe(least);
    expect(backOffMs(failures, 1)).toBe(most);
  });
});
