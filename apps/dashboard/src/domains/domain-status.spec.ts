import { expect, it } from '@jest/globals';
import type { Domain, DomainIssue, IssueCode } from '@pets/contracts';
import { deriveStatus, problemsFirst, recordsComeFirst } from './domain-status.js';

type Facts = Pick<Domain, 'state' | 'misconfigured' | 'suspensions' | 'issues'>;

const issue = (code: IssueCode, severity: DomainIssue['severity'] = 'error'): DomainIssue => ({
  ...{ code, severity, message: '', remediation: '', evidence: {} },
});
const facts = (state: Domain['state'], ...issues: DomainIssue[]): Facts => ({
  ...{ state, issues, misconfigured: false, suspensions: [] },
});
const suspension = {
  scope: 'domain',
  cause: 'operator',
  reason: 'abuse',
  since: '2026-11-02T09:10:00.000Z',
  renewsUntil: null,
} as const;

it.each<[string, Facts, string, string]>([
  ['waits', facts('awaiting_dns', issue('no_record', 'info')), 'waiting', 'Added, awaiting DNS'],
  ['is blocked', facts('awaiting_dns', issue('conflicting_a')), 'warning', 'Awaiting DNS · conflicting A record'],
  ['is verified', facts('verified', issue('ca_rate_limited', 'warning')), 'progress', 'Verified'],
  ['is blocked by CAA', facts('verified', issue('caa_forbids')), 'warning', 'Verified · blocked by CAA'],
  ['is live', facts('live'), 'good', 'Live'],
  ['is live, and one check found other DNS', facts('live', issue('conflicting_a')), 'warning', 'Live · DNS changed'],
  ['is live, without a record', facts('live', issue('no_record', 'info')), 'warning', 'Live · DNS changed'],
  ['is misconfigured', { ...facts('live'), misconfigured: true }, 'warning', 'Live · DNS changed'],
  [
    'is misconfigured and expired',
    { ...facts('live', issue('dns_lost', 'warning'), issue('certificate_expired')), misconfigured: true },
    'critical',
    'Live · certificate expired',
  ],
  [
    'has an error beside a warning',
    facts('live', issue('renewal_at_risk', 'warning'), issue('http_unreachable')),
    'warning',
    'Live · not reachable',
  ],
  ['is suspended', { ...facts('live'), suspensions: [suspension] }, 'critical', 'Live · suspended'],
  ['is removed', facts('removed', issue('dangling_record', 'warning')), 'neutral', 'Removed'],
])('a domain that %s', (_name, domain, tone, text) => {
  expect(deriveStatus(domain)).toEqual({ tone, text, needsAction: tone === 'warning' || tone === 'critical' });
});

it.each<[string, Facts, boolean]>([
  ['awaits its DNS', facts('awaiting_dns'), true],
  ['is live with another DNS', facts('live', issue('dns_lost', 'warning')), true],
  ['is suspended', { ...facts('live'), suspensions: [suspension] }, false],
  ['lost its plan', facts('live', issue('plan_ended')), false],
  ['has an expired certificate', facts('live', issue('certificate_expired')), false],
  ['is verified', facts('verified', issue('caa_forbids')), false],
])('the page of a domain that %s: records first is %s', (_name, domain, isFirst) => {
  expect(recordsComeFirst(domain)).toBe(isFirst);
});

it('domains with problems come first, and the others keep their order', () => {
  const names = ['a', 'b', 'c'].map((name) => ({ name, ...facts(name === 'b' ? 'verified' : 'live') }));
  const changed = { name: 'd', ...facts('live', issue('dns_lost', 'warning')) };
  expect(problemsFirst([...names, changed]).map(({ name }) => name)).toEqual(['d', 'a', 'b', 'c']);
});
