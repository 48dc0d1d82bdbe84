import { expect, it } from '@jest/globals';
import type { Domain } from '@pets/contracts';
import { isChecking, reverifyOf, type Reverify } from './checks.js';

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

const certificate = (state: NonNullable<Domain['certificate']>['state']): Domain['certificate'] => ({
  ...{ state, method: 'http-01', issuer: null, notBefore: null, notAfter: null, renewAt: null },
  ...{ attempts: 1, nextAttemptAt: null, rateLimitedUntil: null },
});

it.each<[string, Domain['state'], Domain['certificate'], number, Reverify]>([
  ['before verification', 'awaiting_dns', null, 0, { kind: 'unneeded' }],
  [
    'while the first attempt has its time',
    'verified',
    certificate('pending'),
    60,
    { kind: 'later', waitMs: 1_740_000 },
  ],
  ['after a failed attempt', 'verified', certificate('failed'), 60, { kind: 'allowed' }],
  ['after 30 minutes', 'verified', certificate('pending'), 1_800, { kind: 'allowed' }],
  ['with a certificate', 'verified', certificate('issued'), 3_600, { kind: 'unneeded' }],
  ['when live', 'live', certificate('issued'), 3_600, { kind: 'unneeded' }],
])('re-verify %s', (_name, state, issued, seconds, expected) => {
  const verifiedAt = state === 'awaiting_dns' ? null : text(0);
  expect(reverifyOf({ state, certificate: issued, verifiedAt }, at(seconds))).toEqual(expected);
});
