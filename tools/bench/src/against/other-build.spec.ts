import { expect, it } from '@jest/globals';
import { readSuiteOutput } from './other-build.js';

it.each<[string, string, Record<string, number>]>([
  ['a figure', 'ratio engine-redis/bullmq-alone 0.37', { 'engine-redis/bullmq-alone': 0.37 }],
  ['a figure that misses its bar', 'ratio a 0.18   missed: the bar is 0.2181', { a: 0.18 }],
  [
    'CPU times, each for one unit of work',
    'redis: CPU for the 2000: pets-api 1.5 s, domains-worker 2.0 s',
    { 'cpu/redis/pets-api': 0.000_75, 'cpu/redis/domains-worker': 0.001 },
  ],
  [
    'the CPU time for a thousand',
    'ours: first use of a name 0.500 CPU s a thousand, 900/s',
    { 'cpu/first-use-of-a-name/ours': 0.0005 },
  ],
  ['no figure where there was nothing to divide', 'ratio a NaN', {}],
  ['nothing in other lines', 'redis: BullMQ alone 3957 jobs/s', {}],
])('reads %s', (_name, line, figures) => {
  expect(Object.fromEntries(readSuiteOutput([line]).figures)).toEqual(figures);
});

it('reads why a suite failed', () => {
  expect(readSuiteOutput(['failed: edge: caddy is not installed']).failed).toBe('caddy is not installed');
  expect(readSuiteOutput(['ratio a 1.00'])).not.toHaveProperty('failed');
});
