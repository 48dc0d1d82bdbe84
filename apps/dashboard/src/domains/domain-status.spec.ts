import { expect, it } from '@jest/globals';
import type { Domain } from '@pets/contracts';
import { exampleIssue } from '@pets/domain-setup';
import { chooseTroubleshooting, deriveStatus, problemsFirst, reverifyOf, type Reverify } from './domain-status.js';

const conflict = exampleIssue();
const lost = exampleIssue({ code: 'dns_lost', severity: 'warning', title: 'no longer points here' });
const facts = (state: Domain['state']) => ({ state, issues: [], misconfigured: false, suspensions: [] });
const suspension = {
  scope: 'domain',
  cause: 'operator',
  reason: 'abuse',
  since: '2026-11-02T09:10:00.000Z',
  renewsUntil: null,
} as const;

it('a suspended domain says so', () => {
  const suspended = { ...facts('live'), suspensions: [suspension] };
  expect(deriveStatus(suspended)).toEqual({ tone: 'critical', text: 'Live · suspended', needsAction: true });
});

it('domains with problems come first, and the others keep their order', () => {
  const names = ['a', 'b', 'c'].map((name) => ({ name, ...facts(name === 'b' ? 'verified' : 'live') }));
  const changed = { name: 'd', ...facts('live'), issues: [lost] };
  expect(problemsFirst([...names, changed]).map(({ name }) => name)).toEqual(['d', 'a', 'b', 'c']);
});

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 2) + seconds * 1_000);
const text = (seconds: number) => at(seconds).toISOString();

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
