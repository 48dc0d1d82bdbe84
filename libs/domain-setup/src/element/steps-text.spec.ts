import { expect, it } from '@jest/globals';
import type { RequiredRecord } from '@pets/contracts';
import { anyProvider, providerById } from '@pets/dns-providers';
import { exampleDomain } from '../setup.example.js';
import { stepsText } from './steps-text.js';

const target = 'k3vq7m2xw5tdz4hcy6rb.cname.pets.example';
const alternatives: NonNullable<RequiredRecord['alternatives']> = [
  { type: 'A', name: '@', value: '203.0.113.7', ttl: 3600 },
  { type: 'AAAA', name: '@', value: '2001:db8::7', ttl: 3600 },
];
const alias: RequiredRecord = { type: 'ALIAS', name: '@', value: target, ttl: 3600, purpose: 'routing' };
const apex = exampleDomain({ name: 'example.com', unicodeName: 'example.com', records: [{ ...alias, alternatives }] });

it('has what is to do, in the words of the provider', () => {
  const conflicts = [{ type: 'A', name: 'docs.example.com', value: '203.0.113.7', action: 'remove' as const }];
  const domain = exampleDomain({ dns: { ...exampleDomain().dns, conflicts } });
  expect(stepsText([domain], providerById('gandi'))).toBe(
    `DNS records for docs.example.com

Open Domain, select the domain, open DNS Records and click Add record.

Delete
  Type: A
  Name: docs
  Value: 203.0.113.7

Add
  Type: CNAME
  Name: docs
  Hostname: ${target}.
  TTL: 3600

- Gandi adds .example.com to each name.
- Keep the dot at the end of a host name: without it, Gandi adds the zone.
`,
  );
});

it('has the addresses instead of an ALIAS where the provider has none', () => {
  const text = stepsText([apex], providerById('godaddy'));
  expect(text).toContain('This provider has no ALIAS record: add all 2 records.\n  Type: A\n  Name: @');
  expect(text).not.toContain('ALIAS\n');
  expect(stepsText([apex], providerById('cloudflare'))).toContain('Or, instead of the CNAME record, all 2 records:');
  expect(stepsText([apex], anyProvider)).toContain(
    'Or, instead of the ALIAS or ANAME record, all 2 records:\n  Type: A',
  );
});

it('says what a wrong record is now', () => {
  const conflicts = [{ type: 'CNAME', name: 'docs.example.com', value: 'old.example.net', action: 'change' as const }];
  const domain = exampleDomain({ dns: { ...exampleDomain().dns, conflicts } });
  expect(stepsText([domain], anyProvider)).toContain(
    `Change\n  Type: CNAME\n  Name: docs\n  Value: ${target} (now: old.example.net)`,
  );
});

it('of a pair that is live, says that nothing is left to do', () => {
  const live = exampleDomain({ state: 'live' });
  const twin = exampleDomain({ ...apex, state: 'live' });
  expect(stepsText([live, twin], anyProvider)).toBe(
    'DNS records for docs.example.com, example.com\n\nNothing is left to do.\n',
  );
});
