import { describe, expect, it } from '@jest/globals';
import {
  evaluateAttempt,
  isTimeout,
  MAX_ATTEMPTS,
  retryPausesMs,
  shouldDisableEndpoint,
  type AttemptFacts,
} from './evaluate-attempt.js';

const now = new Date('2026-11-02T09:00:00.000Z');
const inMs = (ms: number) => new Date(now.getTime() + ms);
const HOUR_MS = 3_600_000;
const NO_JITTER = 0.5;

const answered = (status: number, retryAt: Date | null = null): AttemptFacts => ({
  status,
  error: null,
  retryAt: retryAt?.toISOString() ?? null,
});
const evaluate = (facts: AttemptFacts, failures = 0) => evaluateAttempt(facts, failures, NO_JITTER, now);

describe('evaluateAttempt', () => {
  it.each([200, 201, 202, 204, 299])('takes status %d for delivered', (status) => {
    expect(evaluate(answered(status))).toEqual({ kind: 'delivered' });
  });

  it.each([100, 199, 300, 301, 302, 307, 308, 400, 401, 404, 409, 429, 500, 502, 503])(
    'retries after status %d in five seconds',
    (status) => {
      expect(evaluate(answered(status))).toMatchObject({ kind: 'retry', dueAt: inMs(5_000) });
    },
  );

  it.each<[string, AttemptFacts, string]>([
    ['why no response arrived', { status: null, error: 'connect ECONNREFUSED', retryAt: null }, 'connect ECONNREFUSED'],
    ['that no response arrived', { status: null, error: null, retryAt: null }, 'no response'],
    ['an unsuccessful status', answered(400), 'answered with status 400'],
    ['an informational status', answered(199), 'answered with status 199'],
    ['the first redirect', answered(300), 'redirects are not followed (status 300)'],
    ['the last redirect', answered(399), 'redirects are not followed (status 399)'],
    ['an error of the server', answered(503), 'answered with status 503'],
  ])('tells the owner %s', (_name, facts, error) => {
    expect(evaluate(facts)).toEqual({ kind: 'retry', dueAt: inMs(5_000), error });
  });

  it('does not retry after status 410', () => {
    expect(evaluate(answered(410))).toEqual({ kind: 'gone', error: 'answered with status 410' });
  });

  it.each(retryPausesMs.map((pauseMs, failures) => [failures, pauseMs] as const))(
    'pauses after %d earlier failures for %d ms',
    (failures, pauseMs) => expect(evaluate(answered(500), failures)).toMatchObject({ dueAt: inMs(pauseMs) }),
  );

  it('ends when the schedule is exhausted', () => {
    expect(evaluate(answered(500), MAX_ATTEMPTS - 2).kind).toBe('retry');
    expect(evaluate(answered(500), MAX_ATTEMPTS - 1)).toEqual({
      kind: 'exhausted',
      error: 'answered with status 500',
    });
  });

  it('retries for three days', () => {
    const totalMs = retryPausesMs.reduce((sum, pauseMs) => sum + pauseMs, 0);
    expect(totalMs / HOUR_MS).toBeGreaterThan(72);
  });

  it.each([
    ['retries 429 when the receiver requests it', 429, inMs(HOUR_MS), inMs(HOUR_MS)],
    ['retries 503 when the receiver requests it', 503, inMs(HOUR_MS), inMs(HOUR_MS)],
    ['waits for a receiver with 503 at most a day', 503, inMs(90 * HOUR_MS), inMs(24 * HOUR_MS)],
    ['does not retry 503 before the schedule', 503, inMs(1), inMs(5_000)],
    ['retries 503 on schedule when the requested time is in the past', 503, inMs(-HOUR_MS), inMs(5_000)],
    ['retries 503 on schedule when no time is requested', 503, null, inMs(5_000)],
    ['ignores Retry-After of 500', 500, inMs(HOUR_MS), inMs(5_000)],
  ])('%s', (_name, status, retryAt, dueAt) => {
    expect(evaluate(answered(status, retryAt))).toMatchObject({ dueAt });
  });

  it.each([
    [0, 4_500],
    [0.999_99, 5_500],
  ])('varies the pause by a tenth: random %d', (random, ms) => {
    expect(evaluateAttempt(answered(500), 0, random, now)).toMatchObject({ dueAt: inMs(ms) });
  });
});

describe('isTimeout', () => {
  it.each([
    ['got no response in five seconds', null, 5_000, true],
    ['was refused at once', null, 4_999, false],
    ['got a slow response', 200, 9_000, false],
  ])('an attempt that %s: %s', (_name, status, durationMs, expected) => {
    expect(isTimeout({ status, durationMs })).toBe(expected);
  });
});

describe('shouldDisableEndpoint', () => {
  it.each([
    ['accepted a delivery recently', null, false],
    ['has failed for two days', inMs(-48 * HOUR_MS), false],
    ['has failed for two and a half days', inMs(-60 * HOUR_MS), true],
    ['has failed for as long as the shortest pauses of the schedule take', inMs(-68 * HOUR_MS), true],
  ])('an endpoint that %s: %s → %s', (_name, failingSince, expected) => {
    expect(shouldDisableEndpoint(failingSince, now)).toBe(expected);
  });
});
