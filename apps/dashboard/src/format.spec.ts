import { expect, it } from '@jest/globals';
import { formatBytes, formatCountdown, formatDays } from './format.js';

it.each([
  [-1, '0:00'],
  [6_001, '0:07'],
  [750_000, '12:30'],
  [3_723_000, '1:02:03'],
])('formatCountdown(%i) is %s', (ms, text) => expect(formatCountdown(ms)).toBe(text));

it.each([
  [512, '512 B'],
  [18_204, '18 KiB'],
  [1_572_864, '1.5 MiB'],
  [21_474_836_480, '20.0 GiB'],
])('formatBytes(%i) is %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

it.each([
  ['2027-01-31T09:10:01.000Z', 'in 90 days'],
  ['2026-11-03T09:10:01.000Z', 'in 1 day'],
  ['2026-11-02T19:10:00.000Z', 'within a day'],
  ['2026-10-31T09:10:00.000Z', '2 days ago'],
])('formatDays(%s) is %s', (at, text) => expect(formatDays(at, new Date('2026-11-02T09:10:00.000Z'))).toBe(text));
