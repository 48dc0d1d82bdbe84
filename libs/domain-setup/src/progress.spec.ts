import { describe, expect, it } from '@jest/globals';
import type { SetupDomain } from '@pets/contracts';
import { anyProvider, providerById, type DnsProvider } from '@pets/dns-providers';
import { needsRecords, nextTitle, stepsOf } from './progress.js';
import { exampleDomain, exampleIssue } from './setup.example.js';

const at = (seconds: number) => new Date(Date.UTC(2026, 10, 2, 9, 0, seconds)).toISOString();
const fresh = { issues: [], certificate: null, misconfigured: false, verifiedAt: null, liveAt: null } as const;
const added = { ...fresh, state: 'awaiting_dns', createdAt: at(0) } as const;
const live = { ...added, state: 'live', verifiedAt: at(20), liveAt: at(25) } as const;
const issued = { ...live, certificateIssuedAt: at(23) } as const;

const missing = exampleIssue({ code: 'no_record', severity: 'info' });
const conflict = exampleIssue();
// It does not delay a name that needs no certificate before the switch.
const optional = exampleIssue({ code: 'delegation_shadowed', area: 'delegation', blocking: false });

const statesOf = (...facts: Parameters<typeof stepsOf>) => stepsOf(...facts).map(({ state }) => state);

describe('the states of the steps', () => {
  it.each([
    ['just added', added, ['done', 'current', 'waiting', 'waiting', 'waiting']],
    ['no record yet', { ...added, issues: [missing] }, ['done', 'current', 'waiting', 'waiting', 'waiting']],
    ['a conflict', { ...added, issues: [conflict] }, ['done', 'blocked', 'waiting', 'waiting', 'waiting']],
    ['an optional record', { ...added, issues: [optional] }, ['done', 'current', 'waiting', 'waiting', 'waiting']],
    ['verified', { ...added, state: 'verified', verifiedAt: at(9) }, ['done', 'done', 'done', 'current', 'waiting']],
    ['live', live, ['done', 'done', 'done', 'done', 'done']],
    ['live, with changed DNS', { ...live, misconfigured: true }, ['done', 'blocked', 'done', 'done', 'done']],
    [
      'live, and one check found other DNS',
      { ...live, issues: [conflict] },
      ['done', 'blocked', 'done', 'done', 'done'],
    ],
    ['removed early', { ...added, state: 'removed' }, ['done', 'waiting', 'waiting', 'waiting', 'waiting']],
    [
      'verified, with a certificate of unknown time',
      { ...added, state: 'verified', verifiedAt: at(9), certificate: { state: 'issued' } },
      ['done', 'done', 'done', 'done', 'current'],
    ],
  ] as const)('%s', (_name, domain, states) => expect(statesOf(domain)).toEqual(states));

  it('are complete up to the certificate when it is not served yet', () => {
    const unserved = { ...issued, state: 'verified', liveAt: null } as const;
    expect(statesOf(unserved)).toEqual(['done', 'done', 'done', 'done', 'current']);
  });
});

it('the duration of a step is shown once', () => {
  expect(stepsOf(issued).map(({ tookMs }) => tookMs)).toEqual([null, 20_000, null, 3_000, 2_000]);
});

it('a certificate from before the switch has no duration', () => {
  const early = { ...live, certificateIssuedAt: at(5) } as const;
  expect(stepsOf(early).map(({ tookMs }) => tookMs)).toEqual([null, 20_000, null, null, 20_000]);
});

it('all steps of a live domain are done before its history is loaded', () => {
  expect(stepsOf(live).every(({ state }) => state === 'done')).toBe(true);
});

const conflicts: SetupDomain['dns']['conflicts'] = [
  { type: 'A', name: 'docs.example.com', value: '203.0.113.7', action: 'remove' },
];
const waiting = exampleDomain();
const blocked = exampleDomain({ dns: { ...waiting.dns, conflicts } });
const liveName = exampleDomain({ state: 'live' });
const changed = exampleDomain({ state: 'live', misconfigured: true, issues: [exampleIssue({ code: 'dns_lost' })] });

it.each<[string, SetupDomain[], DnsProvider, string]>([
  ['a name without records', [waiting], anyProvider, 'Create this record at your DNS provider'],
  ['a known provider', [waiting], providerById('gandi'), 'Create this record at Gandi'],
  ['an old record', [blocked], anyProvider, 'Change these records at your DNS provider'],
  ['a pair', [waiting, waiting], anyProvider, 'Create these records at your DNS provider'],
  ['a pair of which one is live', [liveName, waiting], anyProvider, 'Create this record at your DNS provider'],
  [
    'a certificate that comes',
    [exampleDomain({ state: 'verified' })],
    anyProvider,
    'Your records are right. The certificate comes next.',
  ],
  ['a live name', [liveName], anyProvider, 'docs.example.com is live'],
  ['a live name that points elsewhere', [changed], anyProvider, 'Restore this record at your DNS provider'],
  [
    'a suspended name',
    [exampleDomain({ state: 'live', isSuspended: true })],
    anyProvider,
    'docs.example.com is suspended',
  ],
  ['a removed name', [exampleDomain({ state: 'removed' })], anyProvider, 'docs.example.com was removed'],
])('what is next of %s', (_case, domains, provider, title) => {
  const [first = waiting] = domains;
  expect(nextTitle(first, domains.filter(needsRecords), provider)).toBe(title);
});
