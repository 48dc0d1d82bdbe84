import { expect, it } from '@jest/globals';
import type { DomainIssue, SetupDomain } from '@pets/contracts';
import { exampleIssue } from './setup.example.js';
import { isAwaited, isChecking, slowerOf, statusOf, type StatusFacts } from './status.js';

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

const facts = (state: SetupDomain['state'], ...issues: DomainIssue[]): StatusFacts => ({
  ...{ state, issues, misconfigured: false, isSuspended: false },
});
it.each<[string, StatusFacts, string, string]>([
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
  ['is suspended', { ...facts('live'), isSuspended: true }, 'critical', 'Live · suspended'],
  [
    'is removed',
    facts('removed', exampleIssue({ code: 'dangling_record', severity: 'warning' })),
    'neutral',
    'Removed',
  ],
])('a domain that %s', (_name, domain, tone, text) => {
  expect(statusOf(domain)).toEqual({ tone, text, needsAction: tone === 'warning' || tone === 'critical' });
});

it.each<[string, Partial<DomainIssue>, boolean]>([
  ['the record itself', {}, true],
  ['the proof beside it', { code: 'ownership_txt_missing', severity: 'error' }, true],
  ['a proof at another name', { code: 'ownership_txt_missing', evidence: { enteredAt: 'x' } }, false],
  ['a proof with another value', { code: 'ownership_txt_missing', evidence: { seen: ['x'] } }, false],
  ['a conflict', { code: 'conflicting_a' }, false],
])('nothing created yet: %s is only awaited: %s', (_name, parts, expected) => {
  const issue = exampleIssue({ code: 'no_record', severity: 'info', ...parts });
  expect(isAwaited(issue, [missing])).toBe(expected);
});

it('a proof that is missing although the record is there is a problem', () => {
  const proof = exampleIssue({ code: 'ownership_txt_missing', area: 'ownership', title: 'TXT record missing' });
  expect(statusOf(facts('awaiting_dns', proof)).needsAction).toBe(true);
  expect(statusOf(facts('awaiting_dns', missing, proof)).needsAction).toBe(false);
});

it('a proof that is missing beside records of another place is no further problem', () => {
  const proof = exampleIssue({ code: 'ownership_txt_missing', area: 'ownership' });
  const elsewhere = exampleIssue({ code: 'apex_not_pointing_here' });
  expect(isAwaited(proof, [proof, elsewhere])).toBe(true);
  expect(isAwaited(elsewhere, [proof, elsewhere])).toBe(false);
  expect(isAwaited(proof, [proof, exampleIssue({ code: 'propagating', resolvesAutomatically: true })])).toBe(false);
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

it('the slower one of a pair is the one that is less far', () => {
  const [waiting, live] = [{ state: 'awaiting_dns' }, { state: 'live' }] as const;
  expect(slowerOf<{ state: SetupDomain['state'] }>(live, waiting)).toBe(waiting);
  expect(slowerOf<{ state: SetupDomain['state'] }>(waiting, live)).toBe(waiting);
  expect(slowerOf(live, null)).toBe(live);
});
