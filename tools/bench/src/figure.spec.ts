import { expect, it } from '@jest/globals';
import { describeFigure, evaluateFigure, type Figure } from './figure.js';

it.each<[string, Figure, boolean | null, string]>([
  ['reaches its bar', { name: 'a', ratio: 1, bar: 1 }, true, 'ratio a 1.00'],
  ['misses it by little', { name: 'a', ratio: 0.99999, bar: 1 }, false, 'ratio a 1.00   missed: the bar is 1'],
  ['has none', { name: 'a', ratio: 0.1, bar: 0 }, null, 'ratio a 0.100'],
  ['stays below its maximum', { name: 'a', ratio: 0.5, bar: 1, isMaximum: true }, true, 'ratio a 0.500'],
  [
    'exceeds it',
    { name: 'a', ratio: 2, bar: 1, isMaximum: true },
    false,
    'ratio a 2.00   missed: the bar is at most 1',
  ],
  ['is no number', { name: 'a', ratio: Number.NaN, bar: 1 }, false, 'ratio a NaN   missed: the bar is 1'],
])('a figure that %s', (_name, figure, isMet, line) => {
  expect(evaluateFigure(figure).isMet).toBe(isMet);
  expect(describeFigure(evaluateFigure(figure))).toBe(line);
});
