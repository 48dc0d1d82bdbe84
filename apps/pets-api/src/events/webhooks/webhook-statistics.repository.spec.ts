import { expect, it } from '@jest/globals';
import {
  bucketOf,
  hourOf,
  RESPONSE_TIME_BUCKETS,
  startOf,
  summarizeStatistics,
  type HourOfAttempts,
} from './webhook-statistics.repository.js';

const now = new Date('2026-11-02T09:41:00.000Z');

function hour(at: string, counts: Partial<HourOfAttempts>, durationMs = 40): HourOfAttempts {
  const none = { delivered: 0, failedAttempts: 0, failed: 0 };
  const durations = new Array<number>(RESPONSE_TIME_BUCKETS).fill(0);
  durations[bucketOf(durationMs)] = (counts.delivered ?? 0) + (counts.failedAttempts ?? 0);
  return { hour: new Date(at), ...none, ...counts, durations };
}

it('a period ends with the current hour and has all its points', () => {
  const none = { attempts: 0, failedAttempts: 0, delivered: 0, failed: 0, medianMs: null, p95Ms: null };
  const day = summarizeStatistics([], 'day', now);
  expect(day).toMatchObject({ ...none, period: 'day', from: '2026-11-01T10:00:00.000Z' });
  expect(day.points.map(({ from }) => from).filter((_, index) => index % 23 === 0)).toEqual([
    '2026-11-01T10:00:00.000Z',
    '2026-11-02T09:00:00.000Z',
  ]);
  const week = summarizeStatistics([], 'week', now);
  expect(week.from).toBe('2026-10-26T10:00:00.000Z');
  expect([day.points.length, week.points.length]).toEqual([24, 28]);
  expect(week.points.at(-1)?.from).toBe('2026-11-02T04:00:00.000Z');
  expect([startOf('day', now).toISOString(), hourOf(now).toISOString()]).toEqual([
    day.from,
    '2026-11-02T09:00:00.000Z',
  ]);
});

it('hours are added up, and times are taken of all of them together', () => {
  const hours = [
    hour('2026-11-02T09:00:00.000Z', { delivered: 90, failedAttempts: 2, failed: 1 }),
    hour('2026-11-01T10:00:00.000Z', { failedAttempts: 8 }, 10_000),
  ];
  const day = summarizeStatistics(hours, 'day', now);
  expect(day).toMatchObject({ attempts: 100, failedAttempts: 10, delivered: 90, failed: 1 });
  expect([day.medianMs, day.p95Ms]).toEqual([expect.closeTo(40, -1), expect.closeTo(10_000, -3)]);
  expect(day.points[0]).toEqual({ from: '2026-11-01T10:00:00.000Z', attempts: 8, failedAttempts: 8 });
  expect(day.points.at(-1)).toEqual({ from: '2026-11-02T09:00:00.000Z', attempts: 92, failedAttempts: 2 });
  const { points } = summarizeStatistics(hours, 'week', now);
  expect(points.slice(-4).map(({ attempts }) => attempts)).toEqual([8, 0, 0, 92]);
});
