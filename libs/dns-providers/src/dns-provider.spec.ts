import { describe, expect, it } from '@jest/globals';

import { formOf, type ZoneRecord } from './dns-provider.js';
import { anyProvider, providerById, providers } from './providers.js';

const cname: ZoneRecord = { type: 'CNAME', name: 'shop', value: 't1.cname.pets.example', ttl: 3600 };
const alias: ZoneRecord = { ...cname, type: 'ALIAS', name: '@' };
const txt: ZoneRecord = { type: 'TXT', name: '_platform-challenge', value: 'token', ttl: 3600 };
const caa: ZoneRecord = { type: 'CAA', name: '@', value: 'ca.test', ttl: 3600, caa: { flags: '0', tag: 'issue' } };

const textOf = (id: string, record: ZoneRecord) =>
  formOf(providerById(id), record).map(({ label, value }) => `${label}: ${value}`);

describe('a record in the form of a provider', () => {
  it.each([
    [
      'cloudflare',
      cname,
      ['Type: CNAME', 'Name: shop', 'Target: t1.cname.pets.example', 'TTL: 3600', 'Proxy status: DNS only'],
    ],
    ['cloudflare', txt, ['Type: TXT', 'Name: _platform-challenge', 'Content: token', 'TTL: 3600']],
    [
      'route53',
      cname,
      ['Record name: shop', 'Record type: CNAME', 'Value: t1.cname.pets.example', 'TTL (seconds): 3600'],
    ],
    ['ovh', cname, ['Record type: CNAME', 'Sub-domain: shop', 'TTL: 3600', 'Target: t1.cname.pets.example.']],
    ['ovh', txt, ['Record type: TXT', 'Sub-domain: _platform-challenge', 'TTL: 3600', 'Value: token']],
    ['namecom', cname, ['Type: CNAME', 'Host: shop', 'Answer: t1.cname.pets.example', 'TTL: 3600']],
    ['hover', cname, ['Hostname: shop', 'Record Type: CNAME', 'Target Host: t1.cname.pets.example']],
    ['hostinger', cname, ['Type: CNAME', 'Name: shop', 'Target: t1.cname.pets.example', 'TTL: 3600']],
    ['alibaba', txt, ['Record Type: TXT', 'Hostname: _platform-challenge', 'Record Value: token', 'TTL: 3600']],
    ['networksolutions', cname, ['Section: CNAME', 'Alias: shop', 'TTL: 3600', 'Other Host: t1.cname.pets.example.']],
    ['dnsmadeeasy', cname, ['Section: CNAME', 'Name: shop', 'Alias to: t1.cname.pets.example.', 'TTL: 3600']],
    ['linode', cname, ['Section: CNAME', 'Hostname: shop', 'Alias to: t1.cname.pets.example', 'TTL: 3600']],
    ['123reg', txt, ['Hostname: _platform-challenge', 'Type: TXT', 'Destination TXT/SPF: token']],
  ])('has the words and the order of %s', (id, record, fields) => expect(textOf(id, record)).toEqual(fields));

  it.each([
    ['cloudflare', 'Type: CNAME', 'Name: @'],
    ['namecheap', 'Type: ALIAS', 'Host: @'],
    ['gandi', 'Type: ALIAS', 'Name: @'],
    ['hostinger', 'Type: CNAME', 'Name: @', 'Target: t1.cname.pets.example'],
    ['alibaba', 'Record Type: ALIAS', 'Hostname: @'],
    ['dnsmadeeasy', 'Section: ANAME', 'Name: ', 'Alias to: t1.cname.pets.example.'],
    ['other', 'Type: ALIAS or ANAME', 'Name: @'],
  ])('points the apex to a host name as %s can', (id, ...fields) => {
    expect(textOf(id, alias)).toEqual(expect.arrayContaining(fields));
  });

  it('leaves the name of an apex empty where the provider wants that', () => {
    expect(textOf('route53', { ...txt, name: '@' })).toContain('Record name: ');
  });

  it('has the parts of a CAA record in its value where the provider wants that', () => {
    expect(textOf('route53', caa)).toEqual([
      'Record name: ',
      'Record type: CAA',
      'Value: 0 issue "ca.test"',
      'TTL (seconds): 3600',
    ]);
  });

  it('has the parts of a CAA record as fields', () => {
    expect(textOf('other', caa)).toEqual([
      'Type: CAA',
      'Name: @',
      'Flags: 0',
      'Tag: issue',
      'Value: ca.test',
      'TTL: 3600',
    ]);
  });
});

it.each(providers)('$label has a form with a type, a name and a value, and says when it was looked at', (provider) => {
  const keys = provider.fields.map(([key]) => key);
  expect(keys).toEqual(expect.arrayContaining(['type', 'name', 'value']));
  expect(new Set(keys).size).toBe(keys.length);
  // Those that are only recognized have the usual form.
  const isRecognized = provider.fields === anyProvider.fields;
  expect(provider.lookedAt === null).toBe(isRecognized);
  if (!isRecognized) {
    expect(provider.lookedAt).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(provider.link).toMatch(/^https:\/\//);
  }
});
