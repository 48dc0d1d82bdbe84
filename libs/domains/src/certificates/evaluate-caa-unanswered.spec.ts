import { describe, expect, it } from '@jest/globals';
import type { CaaVerdict, DomainIssue } from '@pets/contracts';
import { codes, verified } from '../../test/lifecycle-facts.js';
import { describeIssue } from '../issues/issue-catalog.js';
import type { DomainTrigger } from '../lifecycle/domain-trigger.js';
import { transition } from '../lifecycle/transition.js';
import { ageUnansweredCaa, describeCaa, isCaaIssue } from './evaluate-caa.js';

const at = 'example.com';
const failures = ['192.0.2.54:53: SERVFAIL'];
const caa = { kind: 'unknown', at, error: 'SERVFAIL', failures } satisfies CaaVerdict;
const unanswered = describeCaa(caa);
const began = new Date('2026-11-02T09:00:00.000Z');
const after = (minutes: number) => new Date(began.getTime() + minutes * 60_000);

/** The issues of checks, each of which finds the same. */
const checksAt = (...minutes: number[]): readonly DomainIssue[] =>
  minutes.reduce<readonly DomainIssue[]>((known, at) => ageUnansweredCaa([unanswered], known, after(at)), []);

describe('servers that do not answer for CAA', () => {
  it('are a warning at first', () => {
    expect(checksAt(0)).toMatchObject([{ code: 'resolver_failed', severity: 'warning' }]);
    expect(checksAt(0, 30, 59)).toMatchObject([{ code: 'resolver_failed', evidence: { since: began.toISOString() } }]);
  });

  it('are an error with their addresses after an hour, and stay one', () => {
    const [issue] = checksAt(0, 60);
    expect(issue).toMatchObject({
      code: 'caa_unanswered',
      severity: 'error',
      evidence: { at, servers: failures, since: began.toISOString() },
    });
    expect(issue?.message).toContain('192.0.2.54:53: SERVFAIL');
    expect(checksAt(0, 60, 90)).toEqual([issue]);
  });

  it('are a warning again after an answer', () => {
    const forbids = describeIssue('caa_forbids', { at });
    const known = ageUnansweredCaa([forbids], checksAt(0, 60), after(61));
    expect(known).toEqual([forbids]);
    expect(ageUnansweredCaa([unanswered], known, after(120))).toMatchObject([{ code: 'resolver_failed' }]);
  });

  it.each<[string, DomainTrigger]>([
    [
      'a check before an order',
      {
        type: 'certificate.failed',
        failure: { class: 'passing', issues: [unanswered], retryAt: null },
        isPreflightFailure: true,
        hasOtherCa: false,
      },
    ],
    ['a check that the owner asked for', { type: 'domain.reverified', dns: { kind: 'matches', by: 'target' }, caa }],
  ])('are an error after an hour, found by %s', (_name, trigger) => {
    const outcome = transition({ ...verified, certificateIssues: checksAt(0) }, trigger, after(61));
    expect(codes(outcome?.issues.certificate)).toEqual(['caa_unanswered']);
  });

  it('differ from other failed lookups', () => {
    const other = describeIssue('resolver_failed', { errors: ['192.0.2.53:53: SERVFAIL'] });
    expect(ageUnansweredCaa([other], [other], after(120))).toEqual([other]);
    expect([unanswered, other].map(isCaaIssue)).toEqual([true, false]);
    const outcomes = (['caa_forbids', 'caa_too_large', 'dnssec_broken'] as const).map((code) =>
      describeIssue(code, { at }),
    );
    expect(outcomes.map(isCaaIssue)).toEqual([true, true, true]);
  });

  it.each(['the CA does not publish its name for CAA records', 'CAA was not looked up'])(
    'differ from checks that could not be made: %s',
    (error) => expect(isCaaIssue(describeCaa({ kind: 'unknown', at, error, failures: [] }))).toBe(false),
  );
});

describe('describeCaa', () => {
  const shown = { at: 'example.com', records: ['0 issue ";"'], permitting: 'x' };
  const forbids = { kind: 'forbids' as const, ...shown };

  it.each<[string, Exclude<CaaVerdict, { kind: 'permits' }>, string, Record<string, unknown>]>([
    ['forbids', forbids, 'caa_forbids', shown],
    [
      'has a blocking record',
      { ...forbids, blocking: ['128 x "y"'] },
      'caa_forbids',
      { ...shown, blocking: ['128 x "y"'] },
    ],
    [
      'is unknown',
      { kind: 'unknown', at: 'com', error: 'ESERVFAIL', failures: [] },
      'resolver_failed',
      { errors: ['CAA at com: ESERVFAIL'] },
    ],
    [
      'has too many records',
      { kind: 'unknown', at: 'com', error: '150 records', failures: [], reason: 'too_large' },
      'caa_too_large',
      { at: 'com', error: '150 records' },
    ],
    [
      'broken DNSSEC hides',
      { kind: 'unknown', at: 'docs.example.com', error: 'SERVFAIL', failures: [], isBogus: true },
      'dnssec_broken',
      { name: 'example.com', seen: ['SERVFAIL'] },
    ],
    [
      'no server answers for',
      { kind: 'unknown', at: 'com', error: 'ESERVFAIL', failures: ['1: ESERVFAIL', '2: ETIMEOUT'] },
      'resolver_failed',
      { errors: ['CAA at com: 1: ESERVFAIL, 2: ETIMEOUT'], at: 'com', servers: ['1: ESERVFAIL', '2: ETIMEOUT'] },
    ],
  ])('CAA that %s is shown with its evidence', (_name, verdict, code, evidence) => {
    expect(describeCaa(verdict)).toMatchObject({ code });
    expect(describeCaa(verdict).evidence).toEqual(evidence);
  });
});
