import { describe, expect, it } from '@jest/globals';
import { certificateAlerts } from '@pets/contracts';
import { ownExpiryWarningAt } from '../certificates/own-certificate.js';
import { describeIssue } from '../issues/issue-catalog.js';
import { alertIssue, evaluateAlert, unreportedAlert, nextAlertAt } from './certificate-alert.js';
import { exampleFacts, exampleNow as t0 } from './domain-facts.example.js';
import type { DomainFacts } from './domain-trigger.js';
import { transition } from './transition.js';

const DAY = 86_400;
const after = (seconds: number) => new Date(t0.getTime() + seconds * 1000);
const live = (days: number, facts: Partial<DomainFacts> = {}): DomainFacts => ({
  ...exampleFacts,
  state: 'live',
  certificate: { notBefore: t0, notAfter: after(days * DAY) },
  ...facts,
});
const error = [describeIssue('caa_forbids', { at: 'example.com' })];
const warning = [describeIssue('ca_unavailable', { detail: 'down' })];
const info = [describeIssue('not_served_yet', { seen: ['e1'] })];
const own = { notBefore: t0, notAfter: after(90 * DAY) };
const uploaded = live(1, { ownCertificate: own, misconfigured: true });
/** When the owner of an uploaded certificate is warned, in seconds. */
const warnedAt = (ownExpiryWarningAt(own).getTime() - t0.getTime()) / 1_000;
const failed = (failuresInARow: number) => ({ issuance: { ...exampleFacts.issuance, failuresInARow } });

describe('the alert level of a certificate', () => {
  it.each<[string, DomainFacts, number, string | null]>([
    ['none yet, in time', exampleFacts, 1_799, null],
    ['none after half an hour', exampleFacts, 1_800, 'overdue'],
    ['none, reported before a re-verify', { ...exampleFacts, certificateAlert: 'overdue' }, 0, 'overdue'],
    ['none wanted', { ...exampleFacts, state: 'awaiting_dns' }, 9_999, null],
    ['of a removed domain', { ...exampleFacts, state: 'removed' }, 9_999, null],
    ['before half of its life, with any issue', live(90, { misconfigured: true }), 44 * DAY, null],
    ['after half, without an issue', live(90), 46 * DAY, null],
    ['after half, misconfigured', live(90, { misconfigured: true }), 46 * DAY, 'at_risk'],
    ['after half, wrong records', live(90, { dnsIssues: error }), 46 * DAY, 'at_risk'],
    ['after half, refused for the owner’s reasons', live(90, { certificateIssues: error }), 61 * DAY, 'at_risk'],
    ['after half, a temporary failure', live(90, { certificateIssues: warning, ...failed(1) }), 61 * DAY, null],
    ['after half, failing', live(90, { certificateIssues: warning, ...failed(2) }), 61 * DAY, 'at_risk'],
    ['after half, not served by an edge', live(90, { certificateIssues: info }), 46 * DAY, null],
    ['for six days, after half', live(6, { misconfigured: true }), 3.5 * DAY, null],
    ['for six days, with a third left', live(6, { misconfigured: true }), 4 * DAY, 'at_risk'],
    ['a tenth left, for any reason', live(90), 81 * DAY, 'expiring'],
    ['over', live(90), 90 * DAY, 'expired'],
    ['over, while a suspension prevents the renewal', live(90, { mayRenew: false }), 91 * DAY, null],
    ['uploaded, long before its end', uploaded, 70 * DAY, null],
    ['uploaded, until its owner is warned', uploaded, warnedAt - 1, null],
    ['uploaded, when its owner is warned', uploaded, warnedAt, 'expiring'],
    ['uploaded, a second before its end', uploaded, 90 * DAY - 1, 'expiring'],
    ['uploaded, at its end', uploaded, 90 * DAY, 'expired'],
    ['over before it was served', live(90, { state: 'verified' }), 91 * DAY, 'expired'],
  ])('%s', (_name, facts, seconds, alert) => {
    expect(evaluateAlert(facts, after(seconds))).toBe(alert);
    expect(alertIssue(facts, after(seconds)) === null).toBe(alert === null);
  });
});

describe('an alert', () => {
  it.each<[string, DomainFacts, number, Record<string, unknown>]>([
    [
      'since when there is no certificate',
      { ...exampleFacts, verifiedAt: after(-60) },
      1_800,
      { since: after(-60).toISOString() },
    ],
    [
      'since the start of the generation, if the time of verification is not stored',
      { ...exampleFacts, verifiedAt: null },
      1_800,
      { since: t0.toISOString() },
    ],
    ['until when it is valid', live(90), 81 * DAY, { until: after(90 * DAY).toISOString() }],
  ])('says %s', (_name, facts, seconds, evidence) => {
    expect(alertIssue(facts, after(seconds))?.evidence).toEqual({ name: exampleFacts.name, ...evidence });
  });

  it.each([
    ['near its end', 89, 'own_certificate_expiring'],
    ['after its end', 91, 'certificate_expired'],
  ])('says until when an uploaded certificate is valid: %s', (_name, days, code) => {
    const evidence = { name: exampleFacts.name, until: after(90 * DAY).toISOString() };
    expect(alertIssue(uploaded, after(days * DAY))).toMatchObject({ code, evidence });
  });

  it.each(certificateAlerts.map((level) => [level] as const))('is not reported again after %s', (level) => {
    const facts = live(90, { misconfigured: true, certificateAlert: level });
    const isReported = (days: number) => unreportedAlert(facts, after(days * DAY)) !== null;
    const later = { overdue: [46, 82, 91], at_risk: [82, 91], expiring: [91], expired: [] }[level];
    expect([46, 82, 91].filter(isReported)).toEqual(later);
  });

  it('has a line in the history with what to do', () => {
    expect(unreportedAlert(exampleFacts, after(1_800))).toEqual({
      level: 'overdue',
      type: 'certificate.overdue',
      detail: expect.stringMatching(/still has no certificate.*CAA records.*Re-verify/),
    });
  });

  it('is computed from the state after the transition', () => {
    const facts = live(90, { certificateIssues: warning, ...failed(1), failuresInARow: 1 });
    const failure = { class: 'passing' as const, issues: warning, retryAt: null };
    const trigger = { type: 'certificate.failed' as const, failure, isPreflightFailure: false, hasOtherCa: false };
    expect(transition(facts, trigger, after(61 * DAY))?.alert).toMatchObject({ type: 'certificate.renewal_at_risk' });
  });

  it('is cleared by a new certificate', () => {
    const facts = live(90, { certificateAlert: 'expired' });
    const trigger = { type: 'certificate.issued' as const, renewAt: after(150 * DAY) };
    expect(transition(facts, trigger, after(91 * DAY))?.alert).toBeNull();
  });
});

describe('the next check of a certificate', () => {
  it.each([
    ['when it would be overdue', exampleFacts, 0, 1_800],
    ['none once it is', exampleFacts, 1_800, null],
    ['half of its life', live(90), DAY, 45 * DAY],
    ['a tenth left', live(90), 45 * DAY, 81 * DAY],
    ['its end', live(90), 85 * DAY, 90 * DAY],
    ['none after its end', live(90), 90 * DAY, null],
    ['the warning about an uploaded one', uploaded, 0, warnedAt],
    ['the end of an uploaded one', uploaded, warnedAt, 90 * DAY],
  ])('is %s', (_name, facts, seconds, at) => {
    expect(nextAlertAt(facts, after(seconds))).toEqual(at === null ? null : after(at));
  });
});
