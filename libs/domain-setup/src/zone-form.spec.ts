import { describe, expect, it } from '@jest/globals';
import { providerById } from '@pets/dns-providers';
import { exampleDomain } from './setup.example.js';
import { hintsOf, linesAt, wwwInsteadOf } from './zone-form.js';
import type { ZoneLine } from './zone-lines.js';

const value = 'k3vq7m2xw5tdz4hcy6rb.cname.pets.example';
const a = { type: 'A', name: '@', value: '203.0.113.7', ttl: 3600 };
const alias: ZoneLine = {
  action: 'keep',
  record: { type: 'ALIAS', name: '@', value, ttl: 3600 },
  purpose: 'routing',
  alternatives: [a],
  seen: null,
};
const cname: ZoneLine = { ...alias, record: { ...alias.record, type: 'CNAME', name: 'docs' } };
const caa: ZoneLine = {
  action: 'add',
  record: { type: 'CAA', name: '@', value: 'ca.test', ttl: 3600, caa: { flags: '0', tag: 'issue' } },
  purpose: 'caa',
  alternatives: [],
  seen: null,
};

describe('the lines at a provider', () => {
  it.each([
    ['the addresses that are there, without ALIAS', 'godaddy', alias, [a]],
    ['the ALIAS, with ALIAS', 'namecheap', alias, [alias.record]],
    ['a CNAME, whatever answers', 'godaddy', cname, [cname.record]],
  ])('keep %s', (_case, id, line, records) => {
    const lines = linesAt([line], providerById(id));
    expect(lines.map(({ record }) => record)).toEqual(records);
    expect(lines.map(({ alternatives }) => alternatives)).toEqual([[]]);
  });

  it.each([
    ['of the addresses, without ALIAS', 'godaddy', [a]],
    ['of the ALIAS, with ALIAS', 'namecheap', [alias.record]],
  ])('have the wrong name %s', (_case, id, records) => {
    const line: ZoneLine = { ...alias, action: 'change', wrong: { name: 'example.com' } };
    const lines = linesAt([line], providerById(id));
    expect(lines).toEqual(records.map((record) => ({ ...line, record, alternatives: [] })));
  });

  it('that are to add have their alternatives', () => {
    const line: ZoneLine = { ...alias, action: 'add' };
    expect(linesAt([line], providerById('godaddy'))).toEqual([line]);
  });
});

it.each([
  ['says to edit the one that exists where values share a record', 'route53', true],
  ['says nothing about that where each value is a record', 'godaddy', false],
])('a hint about another CAA record %s', (_case, id, isGrouped) => {
  const provider = providerById(id);
  const hints = hintsOf('example.com', [caa], provider).join(' ');
  expect(hints.includes('another line to the CAA record that exists')).toBe(isGrouped);
});

describe('forwarding an apex to its www name', () => {
  const apex: ZoneLine = { ...alias, action: 'add', alternatives: [] };
  const www: ZoneLine = { ...cname, action: 'add', record: { ...cname.record, name: 'www' } };
  const forwards = (lines: readonly ZoneLine[], id: string) =>
    hintsOf('example.com', lines, providerById(id)).filter((hint) => /forward/.test(hint));
  const tls = (label: string) =>
    `Visitors of https://example.com get a certificate error unless ${label} forwards HTTPS too: open that address to see.`;

  it.each([
    [
      'the www name has to be added',
      [apex],
      'Or use www.example.com, which whoever runs the site has to add, and forward example.com to ' +
        'https://www.example.com at GoDaddy, permanently (301).',
    ],
    [
      'the www name is there',
      [apex, www],
      'Or create only the record of www.example.com, and forward example.com to https://www.example.com at GoDaddy, ' +
        'permanently (301).',
    ],
    [
      'the apex is not set up',
      [www],
      'For visitors of example.com, forward it to https://www.example.com at GoDaddy, permanently (301).',
    ],
  ])('is explained where %s, with what it needs for HTTPS', (_case, lines, hint) => {
    expect(forwards(lines, 'godaddy')).toEqual([hint, tls('GoDaddy')]);
  });

  it.each([
    ['the provider has ALIAS records', [apex], 'namecheap'],
    ['the provider flattens', [www], 'cloudflare'],
    ['the apex has our addresses', [{ ...apex, action: 'keep' as const }, www], 'godaddy'],
    ['it is another name', [{ ...cname, action: 'add' as const }], 'godaddy'],
    ['nobody knows the provider', [www], 'other'],
  ])('is not mentioned where %s', (_case, lines, id) => expect(forwards(lines, id)).toEqual([]));

  const waiting = exampleDomain({
    name: 'example.com',
    records: [{ ...apex.record, type: 'ALIAS', purpose: 'routing' }],
  });
  const at = (...nameServers: string[]) => ({ ...waiting, dns: { ...waiting.dns, nameServers } });
  const instead = { www: 'www.example.com', provider: 'GoDaddy' };
  it.each([
    ['GoDaddy, by its name servers', at('ns1.domaincontrol.com'), null, instead],
    ['GoDaddy, as the user says', at('ns1.example.net'), 'godaddy', instead],
    ['another one than the name servers say', at('ns1.domaincontrol.com'), 'namecheap', null],
    ['nobody knows whom', at('ns1.example.net'), null, null],
  ])('is a choice at %s', (_case, domain, chosen, expected) => expect(wwwInsteadOf(domain, chosen)).toEqual(expected));
});
