import { expect, it } from '@jest/globals';
import { changedSettings } from './changed-settings.js';
import { describeFigure, evaluateFigure } from './evaluate-figure.js';
import { describeCommand } from './record-run.js';

it.each([
  ['reaches its bar', { name: 'a', ratio: 1, bar: 1 }, true, 'ratio a 1.00'],
  ['misses it by little', { name: 'a', ratio: 0.99999, bar: 1 }, false, 'ratio a 1.00   missed: 1 was to be reached'],
  ['has none', { name: 'a', ratio: 0.1, bar: 0 }, null, 'ratio a 0.10'],
  ['is no number', { name: 'a', ratio: Number.NaN, bar: 1 }, false, 'ratio a NaN   missed: 1 was to be reached'],
])('a figure that %s', (_name, figure, isMet, line) => {
  expect(evaluateFigure(figure).isMet).toBe(isMet);
  expect(describeFigure(evaluateFigure(figure))).toBe(line);
});

it('tells the settings that are not the defaults, and how to run the same again', () => {
  const used = { BENCH_A: 1, BENCH_B: ['x', 'y'], PROFILE: '/somewhere', OTHER: 2 };
  const changed = changedSettings(['BENCH_A', 'BENCH_B', 'PROFILE'], used, { BENCH_A: 1, BENCH_B: ['x'], OTHER: 1 });
  expect(changed).toEqual([
    { name: 'BENCH_B', value: 'x,y', byDefault: 'x' },
    { name: 'PROFILE', value: 'a folder', byDefault: 'none' },
  ]);
  expect(describeCommand('npm run bench -- api', changed)).toBe('BENCH_B=x,y npm run bench -- api');
});
