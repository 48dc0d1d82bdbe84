import { describe, expect, it } from '@jest/globals';
import { describeIssue } from '../issues/issue-catalog.js';
import { exampleFacts as verified, exampleNow as now } from './domain-facts.example.js';
import type { DomainFacts, DomainTrigger } from './domain-trigger.js';
import { transition } from './transition.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const in_ = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const live: DomainFacts = {
  ...verified,
  state: 'live',
  certificate: { notBefore: in_(-60 * DAY), notAfter: in_(30 * DAY) },
};
const refused = [describeIssue('ca_refused', { detail: 'no' })];
const notServed = describeIssue('not_served_yet', { seen: ['e1: the old one'] });
const rateLimited = [describeIssue('ca_rate_limited', { detail: 'slow down', until: 'later' })];
const unavailable = [describeIssue('ca_unavailable', { detail: 'down', until: 'later' })];
const silent = [describeIssue('ca_unavailable', { detail: 'down' })];
const expiring = [describeIssue('certificate_expiring', { name: verified.name, until: 'later' })];
const dnsLost = [describeIssue('dns_lost', { name: verified.name })];
const clock = (seconds: number | null, isUnderWay = false) => ({
  issuance: { dueAt: seconds === null ? null : in_(seconds), isUnderWay, failuresInARow: 1 },
});
const codes = (issues: readonly { code: string }[] | undefined) => issues?.map(({ code }) => code);

describe('a failed attempt', () => {
  type Failed = Extract<DomainTrigger, { type: 'certificate.failed' }>;
  const failed = (kind: Failed['failure']['class'], more: Partial<Failed> = {}, retry?: number): DomainTrigger => ({
    type: 'certificate.failed',
    failure: { class: kind, issues: refused, retryAt: retry === undefined ? null : in_(retry) },
    isPreflightFailure: false,
    hasOtherCa: false,
    ...more,
  });

  it.each<[string, DomainFacts, DomainTrigger, number | null, number | undefined]>([
    // next attempt in seconds, failures in a row
    ['with another CA: at once, no step', verified, failed('passing', { hasOtherCa: true }), 1, undefined],
    ['limited, with another CA', verified, failed('rate', { hasOtherCa: true }, 7_200), 1, undefined],
    ['of all CAs: a step', { ...verified, failuresInARow: 1 }, failed('passing'), 600, 2],
    ['limited for less than the backoff', { ...verified, failuresInARow: 3 }, failed('rate', {}, 60), DAY, 4],
    ['limited for more', { ...verified, failuresInARow: 3 }, failed('rate', {}, 2 * DAY), 2 * DAY, 4],
    ['for good, without a certificate: never', verified, failed('final'), null, 1],
    ['for good, with one: daily', live, failed('final'), DAY, 1],
    ['by the preflight, without a certificate', verified, failed('user', { isPreflightFailure: true }), 2, undefined],
    ['by the preflight, at renewal', live, failed('user', { isPreflightFailure: true }), 3_150, undefined],
    [
      'by the preflight, long without a certificate',
      { ...verified, generationBeganAt: in_(-3 * DAY) },
      failed('user', { isPreflightFailure: true }),
      3_150,
      undefined,
    ],
  ])('%s', (_name, facts, trigger, seconds, failures) => {
    const work = transition(facts, trigger, now)?.work.issuance;
    expect(work?.dueAt).toEqual(seconds === null ? null : in_(seconds));
    expect(work?.failuresInARow).toBe(failures);
  });

  it('does not hide that an edge shows another certificate, nor the other way round', () => {
    const both = transition({ ...live, certificateIssues: [notServed] }, failed('passing'), now);
    expect(codes(both?.issues.certificate)).toEqual(['ca_refused', 'not_served_yet']);
    const facts = { ...live, certificateIssues: both?.issues.certificate ?? [] };
    const again = transition(facts, { type: 'certificate.not_served', seen: ['e1: refused'] }, now);
    expect(codes(again?.issues.certificate)).toEqual(['ca_refused', 'not_served_yet']);
    expect(codes(transition(facts, { type: 'certificate.served' }, now)?.issues.certificate)).toEqual(['ca_refused']);
  });

  it('that was deferred has the time of the next attempt', () => {
    const [issue = notServed] = rateLimited;
    const outcome = transition(verified, { type: 'issuance.postponed', until: in_(HOUR), issue }, now);
    expect(outcome).toMatchObject({ work: { issuance: { dueAt: in_(HOUR) } }, issues: { certificate: [issue] } });
  });
});

describe('DNS that is correct again', () => {
  const matches: DomainTrigger = {
    type: 'dns.checked',
    dns: { kind: 'matches', by: 'target' },
    ownership: null,
    isClaimedElsewhere: false,
  };
  const waiting = { ...live, dnsIssues: dnsLost, certificateIssues: refused, ...clock(DAY) };
  const fiveOrders = [5, 4, 3, 2, 1].map((hours) => in_(-hours * HOUR));

  it.each<[string, DomainFacts, number | undefined]>([
    ['has an attempt made at once that had failed', waiting, 0],
    ['has one made though an edge is late', { ...waiting, certificateIssues: [...refused, notServed] }, 0],
    ['leaves an attempt alone that is due', { ...waiting, ...clock(0) }, undefined],
    ['has an attempt that the preflight refused', { ...waiting, dnsIssues: [], certificateIssues: dnsLost }, 0],
    ['has none made that did not fail', { ...waiting, certificateIssues: [notServed] }, undefined],
    ['has none made where it was right all along', { ...waiting, dnsIssues: [] }, undefined],
    ['does not ask a CA before its time', { ...waiting, certificateIssues: rateLimited }, undefined],
    ['does not disturb one that is under way', { ...waiting, ...clock(DAY, true) }, undefined],
    ['does not revive one that is refused for good', { ...waiting, ...clock(null) }, undefined],
    ['keeps to five orders a day', { ...waiting, ordersAt: fiveOrders }, 19 * HOUR],
    ['makes none later than it would be', { ...waiting, ...clock(HOUR), ordersAt: fiveOrders }, HOUR],
  ])('%s', (_name, facts, seconds) => {
    const due = transition(facts, matches, now)?.work.issuance?.dueAt;
    expect(due).toEqual(seconds === undefined ? undefined : in_(seconds));
  });
});

describe('a re-verify', () => {
  const permitted: DomainTrigger = {
    type: 'domain.reverified',
    dns: { kind: 'matches', by: 'target' },
    caa: { kind: 'permits' },
  };
  const forbidden: DomainTrigger = {
    ...permitted,
    caa: { kind: 'forbids', at: 'example.com', records: [], permitting: 'x' },
  };

  it.each<[string, boolean, DomainFacts]>([
    ['that a CA limits', true, { ...verified, certificateIssues: rateLimited, ...clock(HOUR) }],
    ['whose CA says when it is back', true, { ...verified, certificateIssues: unavailable, ...clock(HOUR) }],
    ['whose time has come', false, { ...verified, certificateIssues: rateLimited, ...clock(0) }],
    ['whose CA has only failed', false, { ...verified, certificateIssues: silent, ...clock(HOUR) }],
    ['whose issue has a time', false, { ...verified, certificateIssues: expiring, ...clock(HOUR) }],
    ['in the retry backoff', false, { ...verified, certificateIssues: refused, ...clock(HOUR) }],
  ])('of a domain %s waits for the CA: %p', (_name, isHeld, facts) => {
    const click = transition(facts, { type: 'owner.reverify' }, now);
    expect(click?.work.issuance).toEqual(isHeld ? undefined : { dueAt: null });
    const stopped = isHeld ? facts : { ...facts, ...clock(null) };
    const outcome = transition(stopped, permitted, now);
    expect(outcome?.work.issuance).toEqual(isHeld ? undefined : { dueAt: now });
    expect(outcome?.issues.certificate).toEqual(isHeld ? facts.certificateIssues : []);
  });

  it('that finds CAA forbidding adds an issue, and keeps the issue of the CA', () => {
    const facts = { ...verified, certificateIssues: rateLimited, ...clock(HOUR) };
    const first = transition(facts, forbidden, now);
    expect(codes(first?.issues.certificate)).toEqual(['caa_forbids', 'ca_rate_limited']);
    const again = { ...facts, certificateIssues: first?.issues.certificate ?? [] };
    expect(codes(transition(again, forbidden, now)?.issues.certificate)).toEqual(['caa_forbids', 'ca_rate_limited']);
    expect(codes(transition(again, permitted, now)?.issues.certificate)).toEqual(['ca_rate_limited']);
  });

  it('reads an open order at once instead, in another generation', () => {
    const outcome = transition(verified, { type: 'owner.reverify', hasOpenOrder: true }, now);
    expect(outcome).toMatchObject({ startsGeneration: true, work: { issuance: { dueAt: now } } });
    expect(outcome?.work).not.toHaveProperty('reverify');
  });

  it('resets no count of failures', () => {
    expect(transition(verified, { type: 'owner.reverify' }, now)?.work.issuance).not.toHaveProperty('failuresInARow');
    expect(transition(verified, permitted, now)?.work.issuance).not.toHaveProperty('failuresInARow');
  });
});

describe('an order that the CA has not finished', () => {
  const issue = describeIssue('certificate_pending', { authority: 'ca.example', since: now.toISOString() });
  const pending = { type: 'certificate.pending', nextReadAt: in_(2), issue } as const;

  it('is no failure: it is read again, and the history has it once', () => {
    const facts = { ...verified, certificateIssues: silent, failuresInARow: 2 };
    const first = transition(facts, pending, now);
    expect(first).toMatchObject({ work: { issuance: { dueAt: in_(2) } }, history: issue.message });
    expect(first?.work.issuance).not.toHaveProperty('failuresInARow');
    expect(codes(first?.issues.certificate)).toEqual(['certificate_pending']);
    const again = { ...facts, certificateIssues: first?.issues.certificate ?? [] };
    expect(transition(again, pending, now)?.history).toBeNull();
  });

  it('is replaced when it is given up, at the time that the budget allows', () => {
    const facts = { ...verified, certificateIssues: [issue] };
    const outcome = transition(facts, { type: 'order.given_up', nextOrderAt: in_(HOUR), reason: 'too late' }, now);
    expect(outcome).toMatchObject({
      work: { issuance: { dueAt: in_(HOUR) } },
      issues: { certificate: [] },
      history: 'too late: a new certificate is requested',
    });
  });
});
