import { describe, expect, it } from '@jest/globals';
import { describeIssue } from '../issues/issue-catalog.js';
import { exampleFacts, exampleNow as now } from './domain-facts.example.js';
import type { DomainFacts, DomainTrigger } from './domain-trigger.js';
import { transition } from './transition.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const in_ = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const planned = (facts: Partial<DomainFacts> = {}): DomainFacts => ({
  ...exampleFacts,
  state: 'live',
  certificate: { notBefore: now, notAfter: in_(90 * DAY) },
  issuance: { dueAt: in_(60 * DAY), isUnderWay: false, failuresInARow: 0 },
  ...facts,
});
const issuance = (changes: Partial<DomainFacts['issuance']>) => ({
  issuance: { ...planned().issuance, ...changes },
});
const windowOf = (
  from: number,
  to: number,
  more: Partial<Extract<DomainTrigger, { type: 'renewal_info.fetched' }>> = {},
): DomainTrigger => ({
  type: 'renewal_info.fetched',
  window: { start: in_(from), end: in_(to) },
  explanationUrl: null,
  retryAt: null,
  hasFailed: false,
  ...more,
});
const none = windowOf(0, 0, { window: null });
const failed = windowOf(0, 0, { window: null, hasFailed: true });
const rateLimited = [describeIssue('ca_rate_limited', { detail: 'slow down', until: 'later' })];
const preflightRefused = [describeIssue('dns_lost', { name: 'docs.example.com' })];
const orders = (...hoursAgo: number[]) => ({ ordersAt: hoursAgo.map((hours) => in_(-hours * HOUR)) });

describe('renewal information', () => {
  it.each<[string, DomainFacts, DomainTrigger, number | undefined]>([
    ['moves the renewal into the window', planned(), windowOf(50 * DAY, 52 * DAY), 51 * DAY],
    ['moves it into a later window', planned(), windowOf(70 * DAY, 72 * DAY), 71 * DAY],
    ['makes it due when the window is open', planned(), windowOf(-2 * DAY, -DAY), 0],
    ['keeps a planned time within the window', planned(), windowOf(60 * DAY, 60 * DAY), undefined],
    ['keeps the plan when the CA has none', planned(), none, undefined],
    ['keeps the plan when it fails', planned(), failed, undefined],
    ['never overrides the backoff', planned(issuance({ failuresInARow: 2 })), windowOf(-2, -1), undefined],
    [
      'never overrides a retry time of the CA',
      planned({ certificateIssues: rateLimited }),
      windowOf(-2, -1),
      undefined,
    ],
    [
      'moves nothing after a failed preflight',
      planned({ certificateIssues: preflightRefused }),
      windowOf(-2, -1),
      undefined,
    ],
    ['keeps an attempt that is due', planned(issuance({ dueAt: now })), windowOf(-2, -1), undefined],
    [
      'does not postpone an attempt that is due',
      planned(issuance({ dueAt: now })),
      windowOf(70 * DAY, 72 * DAY),
      undefined,
    ],
    ['keeps an attempt that is running', planned(issuance({ isUnderWay: true })), windowOf(-2, -1), undefined],
    ['does not schedule issuance that has stopped', planned(issuance({ dueAt: null })), windowOf(-2, -1), undefined],
    ['moves nothing before there is a certificate', planned({ certificate: null }), windowOf(-2, -1), undefined],
    ['respects the limit on orders', planned(orders(4, 3, 2, 1, 0)), windowOf(-2, -1), 20 * HOUR],
  ])('%s', (_name, facts, trigger, seconds) => {
    const due = transition(facts, trigger, now)?.work.issuance?.dueAt;
    expect(due).toEqual(seconds === undefined ? undefined : in_(seconds));
  });

  it.each<[string, DomainFacts, DomainTrigger, number | null]>([
    ['when the CA requests it', planned(), windowOf(0, 9, { retryAt: in_(600) }), 600],
    ['two to four times a day by default', planned(), windowOf(0, 9), 9 * HOUR],
    ['in about an hour after a failure', planned(), failed, 1.125 * HOUR],
    ['never if the CA has no renewal information', planned(), none, null],
    ['not without a certificate', planned({ certificate: null }), windowOf(0, 9), null],
  ])('is fetched again %s', (_name, facts, trigger, seconds) => {
    const due = transition(facts, trigger, now)?.work.renewal_info?.dueAt;
    expect(due).toEqual(seconds === null ? null : in_(seconds));
  });

  it.each<[string, DomainTrigger, unknown]>([
    ['the ordinary window', windowOf(50 * DAY, 52 * DAY), null],
    ['an open one', windowOf(-2, -1), 'the certificate authority requests renewal now'],
    [
      'an earlier one with a reason',
      windowOf(5 * DAY, 5 * DAY, { explanationUrl: 'https://ca.example/incident' }),
      expect.stringContaining('renewal at 2026-01-06T00:00:00.000Z: https://ca.example/incident'),
    ],
    ['the planned time, with a reason', windowOf(60 * DAY, 60 * DAY, { explanationUrl: 'https://ca.example/' }), null],
    ['a later one with a reason', windowOf(70 * DAY, 70 * DAY, { explanationUrl: 'https://ca.example/' }), null],
  ])('is in the history only if it is unusual: %s', (_name, trigger, history) => {
    expect(transition(planned(), trigger, now)?.history).toEqual(history);
  });

  it.each([
    ['a minute', 60 * DAY, 60],
    ['a tenth of the remaining time', 30, 3],
  ])('is first fetched %s after a certificate was issued', (_name, renewIn, seconds) => {
    const issued = transition(planned(), { type: 'certificate.issued', renewAt: in_(renewIn) }, now);
    expect(issued?.work).toMatchObject({ renewal_info: { dueAt: in_(seconds) }, issuance: { dueAt: in_(renewIn) } });
  });
});
