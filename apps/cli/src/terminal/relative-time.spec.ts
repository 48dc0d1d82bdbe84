import { expect, it } from '@jest/globals';
import { relativeTime, withLocalTimes } from './relative-time.js';

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
