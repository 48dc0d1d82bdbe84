import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import { printable, relativeTime, shellWord, withLocalTimes } from './format.js';

it.each([
  ['\u001b[2Jgone', '\\u001b[2Jgone'],
  ['two\nlines', 'two\\u000alines'],
  ['\u202etxt.exe', '\\u202etxt.exe'],
  ['bücher.example – ok', 'bücher.example – ok'],
])('printable shows %j as %j', (text, shown) => expect(printable(text)).toBe(shown));

it.each(['docs.example.com', '*.example.com', "O'Neil", 'two words', '$HOME `id` "x"', '', 'ünïcode', '~', '#1'])(
  'a shell reads %p as one argument, unchanged',
  (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
  },
);

const now = new Date('2026-11-02T09:10:00.000Z');

it.each([
  ['2026-11-02T09:10:00.900Z', 'now'],
  ['2026-11-02T09:10:09.500Z', 'in 9 s'],
  ['2026-11-02T09:09:01.000Z', '59 s ago'],
  ['2026-11-02T09:09:00.000Z', '1 minute ago'],
  ['2026-11-02T09:06:30.000Z', '3 minutes ago'],
  ['2026-11-02T11:10:00.000Z', 'in 2 hours'],
  ['2026-11-05T09:10:00.000Z', 'in 3 days'],
  ['2027-01-31T09:10:00.000Z', '2027-01-31'],
])('%s is %s', (instant, shown) => expect(relativeTime(instant, now)).toBe(shown));

it('shows the times in a message by the clock or the day, with their distance', () => {
  const [soon, later] = ['2026-11-02T09:25:00.000Z', '2026-11-05T09:10:00.000Z'];
  expect(withLocalTimes(`Cached until ${soon}, valid to ${later}.`, now)).toMatch(
    /^Cached until \d\d:\d\d \(in 15 minutes\), valid to 2026-11-0\d \(in 3 days\)\.$/,
  );
});
