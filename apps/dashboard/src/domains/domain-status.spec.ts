import { expect, it } from '@jest/globals';
import type { Domain, DomainIssue } from '@pets/contracts';
import { deriveStatus, problemsFirst, recordsComeFirst } from './domain-status.js';
import { exampleIssue } from './issue.example.js';

type Facts = Pick<Domain, 'state' | 'misconfigured' | 'suspensions' | 'issues'>;

const conflict = exampleIssue();
const missing = exampleIssue({ code: 'no_record', severity: 'info' });
const lost = exampleIssue({ code: 'dns_lost', severity: 'warning', title: 'no longer points here' });
const spreading = exampleIssue({ code: 'propagating', severity: 'info', resolvesAutomatically: true });
const ofCertificate = (title: string, parts: Partial<DomainIssue> = {}) =>
  exampleIssue({ area: 'certificate', title, ...parts });
const limited = ofCertificate('rate limit reached', {
  ...{ code: 'ca_rate_limited', severity: 'warning', resolvesAutomatically: true },
});
const forbidden = ofCertificate('blocked by CAA', { code: 'caa_forbids' });
const unreachable = ofCertificate('not reachable', { code: 'http_unreachable' });
const atRisk = ofCertificate('renewal at risk', { code: 'renewal_at_risk', severity: 'warning', blocking: false });
const expired = ofCertificate('certificate expired', { code: 'certificate_expired', blocking: false });
const planEnded = exampleIssue({ code: 'plan_ended', area: 'plan', severity: 'warning', blocking: false });
const retiring = exampleIssue({
  ...{ code: 'address_retiring', title: 'address stops working soon', severity: 'warning', blocking: false },
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
  ['waits', facts('awaiting_dns', missing), 'waiting', 'Added, awaiting DNS'],
  ['is blocked', facts('awaiting_dns', conflict), 'warning', 'Awaiting DNS · conflicting A record'],
  ['is verified', facts('verified', limited), 'progress', 'Verified'],
  ['is blocked by CAA', facts('verified', forbidden), 'warning', 'Verified · blocked by CAA'],
  ['is live', facts('live'), 'good', 'Live'],
  ['is live, and a change spreads', facts('live', spreading), 'good', 'Live'],
  ['shows a retiring address', facts('live', retiring), 'warning', 'Live · address stops working soon'],
  ['lost its records before it was live', facts('verified', lost), 'warning', 'Verified · no longer points here'],
  ['is live, and one check found other DNS', facts('live', conflict), 'warning', 'Live · DNS changed'],
  ['is live, without a record', facts('live', missing), 'warning', 'Live · DNS changed'],
  ['is misconfigured', { ...facts('live'), misconfigured: true }, 'warning', 'Live · DNS changed'],
  [
    'is misconfigured and expired',
    { ...facts('live', lost, expired), misconfigured: true },
    'critical',
    'Live · certificate expired',
  ],
  ['has an error beside a warning', facts('live', atRisk, unreachable), 'warning', 'Live · not reachable'],
  ['is suspended', { ...facts('live'), suspensions: [suspension] }, 'critical', 'Live · suspended'],
  [
    'is removed',
    facts('removed', exampleIssue({ code: 'dangling_record', severity: 'warning' })),
    'neutral',
    'Removed',
  ],
])('a domain that %s', (_name, domain, tone, text) => {
  expect(deriveStatus(domain)).toEqual({ tone, text, needsAction: tone === 'warning' || tone === 'critical' });
});

it.each<[string, Facts, boolean]>([
  ['awaits its DNS', facts('awaiting_dns'), true],
  ['is live with another DNS', facts('live', lost), true],
  ['is suspended', { ...facts('live'), suspensions: [suspension] }, false],
  ['lost its plan', facts('live', planEnded), false],
  ['has an expired certificate', facts('live', expired), false],
  ['is verified', facts('verified', forbidden), false],
])('the page of a domain that %s: records first is %s', (_name, domain, isFirst) => {
  expect(recordsComeFirst(domain)).toBe(isFirst);
});

it('domains with problems come first, and the others keep their order', () => {
  const names = ['a', 'b', 'c'].map((name) => ({ name, ...facts(name === 'b' ? 'verified' : 'live') }));
  const changed = { name: 'd', ...facts('live', lost) };
  expect(problemsFirst([...names, changed]).map(({ name }) => name)).toEqual(['d', 'a', 'b', 'c']);
});
