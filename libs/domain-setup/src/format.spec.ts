import { expect, it } from '@jest/globals';
import {
  formatDay,
  formatDuration,
  formatInstant,
  formatPast,
  formatRelative,
  localizeTimes,
  sentence,
} from './format.js';

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
  ['2026-11-02T09:10:00.000Z', 'just now'],
  ['2026-11-02T09:09:56.000Z', '4 s ago'],
  ['2026-11-02T09:07:00.000Z', '3 min ago'],
  ['2026-11-02T06:10:00.000Z', '3 h ago'],
  ['2026-10-30T08:10:00.000Z', '3 d ago'],
  ['2026-11-02T09:10:16.000Z', 'in 16 s'],
  ['2026-11-12T10:10:00.000Z', 'in 10 d'],
])('formatRelative(%s) is %s', (at, text) =>
  expect(formatRelative(at, new Date('2026-11-02T09:10:00.000Z'))).toBe(text),
);

it.each([
  ['2026-11-02T09:09:56.000Z', '4 s ago'],
  ['2026-11-02T09:10:03.000Z', 'just now'],
  ['2026-11-12T10:10:00.000Z', 'just now'],
])('formatPast(%s) is %s', (at, text) => expect(formatPast(at, new Date('2026-11-02T09:10:00.000Z'))).toBe(text));

it('a time that is more than two months away is a date', () => {
  const at = '2026-03-01T12:00:00.000Z';
  expect(formatRelative(at, new Date('2026-11-02T09:10:00.000Z'))).toBe(formatDay(at));
});

it('times in messages are shown in the local time zone', () => {
  const at = '2026-11-05T09:10:00.000Z';
  expect(localizeTimes(`It expires at ${at}.`)).toBe(`It expires at ${formatInstant(at)}.`);
  expect(localizeTimes('It was 2026-11-05.')).toBe('It was 2026-11-05.');
  expect(localizeTimes('At 2026-99-99T99:99:99Z.')).toBe('At 2026-99-99T99:99:99Z.');
});

it.each([
  ['must be a host name', 'Must be a host name.'],
  ['Is this complete?', 'Is this complete?'],
  ['docs.example.com is taken', 'docs.example.com is taken.'],
])('sentence(%s) is %s', (text, expected) => expect(sentence(text)).toBe(expected));
