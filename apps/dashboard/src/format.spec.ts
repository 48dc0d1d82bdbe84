import { expect, it } from '@jest/globals';
import { formatBytes, formatCountdown, formatDuration } from './format.js';

it.each([
  [-50, '0.0 s'],
  [430, '0.4 s'],
  [12_400, '12 s'],
  [59_900, '1 min'],
  [200_000, '3 min 20 s'],
  [7_500_000, '2 h 5 min'],
  [273_600_000, '3 d 4 h'],
])('formatDuration(%i) is %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

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
