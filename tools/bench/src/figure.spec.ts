import { expect, it } from '@jest/globals';
import { describeFigure, evaluateFigure } from './figure.js';

it.each([
  ['reaches its bar', { name: 'a', ratio: 1, bar: 1 }, true, 'ratio a 1.00'],
  ['misses it by little', { name: 'a', ratio: 0.99999, bar: 1 }, false, 'ratio a 1.00   missed: the bar is 1'],
  ['has none', { name: 'a', ratio: 0.1, bar: 0 }, null, 'ratio a 0.10'],
  ['is no number', { name: 'a', ratio: Number.NaN, bar: 1 }, false, 'ratio a NaN   missed: the bar is 1'],
])('a figure that %s', (_name, figure, isMet, line) => {
  expect(evaluateFigure(figure).isMet).toBe(isMet);
  expect(describeFigure(evaluateFigure(figure))).toBe(line);
});
