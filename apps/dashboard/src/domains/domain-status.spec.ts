import { expect, it } from '@jest/globals';
import type { Domain, DomainIssue } from '@pets/contracts';
import {
  chooseTroubleshooting,
  deriveStatus,
  isAwaited,
  isChecking,
  problemsFirst,
  reverifyOf,
  type Reverify,
} from './domain-status.js';
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

it.each<[string, Partial<DomainIssue>, boolean]>([
  ['the record itself', {}, true],
  ['the proof beside it', { code: 'ownership_txt_missing', severity: 'error' }, true],
  ['a proof with another value', { code: 'ownership_txt_missing', evidence: { seen: ['x'] } }, false],
  ['a conflict', { code: 'conflicting_a' }, false],
])('nothing created yet: %s is only awaited: %s', (_name, parts, expected) => {
  const issue = exampleIssue({ code: 'no_record', severity: 'info', ...parts });
  expect(isAwaited(issue, [missing])).toBe(expected);
});

it('a proof that is missing although the record is there is a problem', () => {
  const proof = exampleIssue({ code: 'ownership_txt_missing', title: 'TXT record missing' });
  expect(deriveStatus(facts('awaiting_dns', proof)).needsAction).toBe(true);
  expect(deriveStatus(facts('awaiting_dns', missing, proof)).needsAction).toBe(false);
});

it('domains with problems come first, and the others keep their order', () => {
  const names = ['a', 'b', 'c'].map((name) => ({ name, ...facts(name === 'b' ? 'verified' : 'live') }));
  const changed = { name: 'd', ...facts('live', lost) };
  expect(problemsFirst([...names, changed]).map(({ name }) => name)).toEqual(['d', 'a', 'b', 'c']);
});

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 2) + seconds * 1_000);
const text = (seconds: number) => at(seconds).toISOString();

it.each([
  ['nobody asked', null, text(0), 0, false],
  ['there is no result', text(0), null, 0, true],
  ['the result is older', text(0), text(-5), 1_000, true],
  ['the result is newer', text(0), text(1), 1_000, false],
  ['the result is overdue', text(0), text(-5), 31_000, false],
])('is being checked: %s', (_name, requestedAt, checkedAt, ageMs, expected) =>
  expect(isChecking({ requestedAt, checkedAt }, ageMs)).toBe(expected),
);

const certificateOf = (state: NonNullable<Domain['certificate']>['state']): Domain['certificate'] => ({
  ...{ state, method: 'http-01', issuer: null, notBefore: null, notAfter: null, renewAt: null },
  ...{ attempts: 1, nextAttemptAt: null, rateLimitedUntil: null },
});

it.each<[string, Domain['state'], Domain['certificate'], number, Reverify]>([
  ['before verification', 'awaiting_dns', null, 0, { kind: 'unneeded' }],
  [
    'while the first attempt has its time',
    'verified',
    certificateOf('pending'),
    60,
    { kind: 'later', waitMs: 1_740_000 },
  ],
  ['after a failed attempt', 'verified', certificateOf('failed'), 60, { kind: 'allowed' }],
  ['after 30 minutes', 'verified', certificateOf('pending'), 1_800, { kind: 'allowed' }],
  ['with a certificate', 'verified', certificateOf('issued'), 3_600, { kind: 'unneeded' }],
  ['when live', 'live', certificateOf('issued'), 3_600, { kind: 'unneeded' }],
])('re-verify %s', (_name, state, issued, seconds, expected) => {
  const verifiedAt = state === 'awaiting_dns' ? null : text(0);
  expect(reverifyOf({ state, certificate: issued, verifiedAt }, at(seconds))).toEqual(expected);
});

const now = new Date('2026-11-02T12:00:00Z');
const base = { issues: [], liveAt: null, misconfigured: false } as const;

it.each([
  ['no record yet: nothing is wrong', { ...base, state: 'awaiting_dns' }, []],
  ['a conflict', { ...base, state: 'awaiting_dns', issues: [conflict] }, ['verification']],
  ['no certificate yet', { ...base, state: 'verified' }, ['certificate', 'privacy']],
  ['live for a minute', { ...base, state: 'live', liveAt: '2026-11-02T11:59:00Z' }, ['privacy']],
  ['live for long', { ...base, state: 'live', liveAt: '2026-11-01T11:59:00Z' }, []],
  ['no longer pointing here', { ...base, state: 'live', liveAt: null, misconfigured: true }, ['verification']],
  ['removed', { ...base, state: 'removed', issues: [conflict] }, []],
] as const)('chooseTroubleshooting: %s', (_name, domain, symptoms) =>
  expect(chooseTroubleshooting(domain, now)).toEqual(symptoms),
);
