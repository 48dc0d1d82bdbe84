import { expect, it } from '@jest/globals';
import type { SetupDomain } from '@pets/contracts';
import { anyProvider, providerById, type DnsProvider } from '@pets/dns-providers';
import { needsRecords, nextTitle } from './next-step.js';
import { exampleDomain, exampleIssue } from './setup.example.js';

const conflicts: SetupDomain['dns']['conflicts'] = [
  { type: 'A', name: 'docs.example.com', value: '203.0.113.7', action: 'remove' },
];
const waiting = exampleDomain();
const blocked = exampleDomain({ dns: { ...waiting.dns, conflicts } });
const live = exampleDomain({ state: 'live' });
const changed = exampleDomain({ state: 'live', misconfigured: true, issues: [exampleIssue({ code: 'dns_lost' })] });

it.each<[string, SetupDomain[], DnsProvider, string]>([
  ['a name without records', [waiting], anyProvider, 'Create this record at your DNS provider'],
  ['a known provider', [waiting], providerById('gandi'), 'Create this record at Gandi'],
  ['an old record', [blocked], anyProvider, 'Change these records at your DNS provider'],
  ['a pair', [waiting, waiting], anyProvider, 'Create these records at your DNS provider'],
  ['a pair of which one is live', [live, waiting], anyProvider, 'Create this record at your DNS provider'],
  [
    'a certificate that comes',
    [exampleDomain({ state: 'verified' })],
    anyProvider,
    'Your records are right. The certificate comes next.',
  ],
  ['a live name', [live], anyProvider, 'docs.example.com is live'],
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
