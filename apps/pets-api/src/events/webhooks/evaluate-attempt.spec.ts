import { describe, expect, it } from '@jest/globals';
import { shouldDisableEndpoint, evaluateAttempt, type AttemptFacts } from './evaluate-attempt.js';
import { retryPausesMs } from './retry-schedule.js';

const now = new Date('2026-11-02T09:00:00.000Z');
const inMs = (ms: number) => new Date(now.getTime() + ms);
const HOUR_MS = 3_600_000;
const NO_JITTER = 0.5;

const answered = (status: number, retryAt: Date | null = null): AttemptFacts => ({
  status,
  error: null,
  retryAt: retryAt?.toISOString() ?? null,
});
const judge = (facts: AttemptFacts, failures = 0) => evaluateAttempt(facts, failures, NO_JITTER, now);

describe('a try', () => {
  it.each([200, 201, 202, 204, 299])('that is answered with %d is delivered', (status) => {
    expect(judge(answered(status))).toEqual({ kind: 'delivered' });
  });

  it.each([100, 199, 300, 301, 302, 307, 308, 400, 401, 404, 409, 429, 500, 502, 503])(
    'that is answered with %d is made again in five seconds',
    (status) => {
      const verdict = judge(answered(status));
      expect(verdict).toMatchObject({ kind: 'retry', dueAt: inMs(5_000) });
      expect(verdict).toHaveProperty('error', expect.stringContaining(String(status)));
    },
  );

  it('that is not answered is made again, with the reason', () => {
    const verdict = judge({ status: null, error: 'connect ECONNREFUSED', retryAt: null });
    expect(verdict).toEqual({ kind: 'retry', dueAt: inMs(5_000), error: 'connect ECONNREFUSED' });
  });

  it('that is answered with 410 is the last', () => {
    expect(judge(answered(410)).kind).toBe('gone');
  });

  it.each(retryPausesMs.map((pauseMs, failures) => [failures, pauseMs] as const))(
    'after %d failures is followed by a pause of %d ms',
    (failures, pauseMs) => expect(judge(answered(500), failures)).toMatchObject({ dueAt: inMs(pauseMs) }),
  );

  it('is the last when the schedule is at its end, after three days', () => {
    expect(judge(answered(500), retryPausesMs.length).kind).toBe('exhausted');
    const totalMs = retryPausesMs.reduce((sum, pauseMs) => sum + pauseMs, 0);
    expect(totalMs / HOUR_MS).toBeGreaterThan(72);
  });

  it.each([
    ['429 is made again when the receiver wants', 429, inMs(HOUR_MS), inMs(HOUR_MS)],
    ['503 is made again when the receiver wants', 503, inMs(HOUR_MS), inMs(HOUR_MS)],
    ['503 waits a day at most', 503, inMs(90 * HOUR_MS), inMs(24 * HOUR_MS)],
    ['503 is not made again before the schedule', 503, inMs(1), inMs(5_000)],
    ['503 is not held up by a time in the past', 503, inMs(-HOUR_MS), inMs(5_000)],
    ['500 says nothing about when', 500, inMs(HOUR_MS), inMs(5_000)],
  ])('that is answered with %s', (_name, status, retryAt, dueAt) => {
    expect(judge(answered(status, retryAt))).toMatchObject({ dueAt });
  });

  it.each([
    [0, 4_500],
    [0.999_99, 5_500],
  ])('comes a tenth earlier or later: %d', (random, ms) => {
    expect(evaluateAttempt(answered(500), 0, random, now)).toMatchObject({ dueAt: inMs(ms) });
  });
});

it.each([
  ['has taken something lately', null, false],
  ['has failed for two days', inMs(-48 * HOUR_MS), false],
  ['has failed for as long as the quickest way through the schedule takes', inMs(-68 * HOUR_MS), true],
])('an endpoint that %s: hopeless is %s', (_name, failingSince, expected) => {
  expect(shouldDisableEndpoint(failingSince, now)).toBe(expected);
});
