import { describe, expect, it } from '@jest/globals';
import {
  delegationFor,
  delegationRecord,
  isApexOf,
  ownershipRecord,
  routingRecord,
  targetHostFor,
} from './required-records.js';
import { fitsInDns, longestRequiredHost } from './required-hosts.js';

const target = { zone: null, targetHost: 't0k.cname.pets.example' };

describe('records to create', () => {
  it('lead to a host of the platform that no other domain has', () => {
    expect(targetHostFor('t0k', 'pets.example')).toBe(target.targetHost);
  });

  it('are a CNAME for a subdomain, named by its label', () => {
    expect(routingRecord({ name: 'docs.example.com', apexName: 'example.com', ...target })).toEqual({
      type: 'CNAME',
      name: 'docs',
      value: 't0k.cname.pets.example',
      ttl: 3600,
      purpose: 'routing',
    });
  });

  it('name deep subdomains relative to the apex', () => {
    expect(routingRecord({ name: 'a.b.example.co.uk', apexName: 'example.co.uk', ...target }).name).toBe('a.b');
  });

  it('are an ALIAS for an apex', () => {
    expect(routingRecord({ name: 'example.com', apexName: 'example.com', ...target })).toMatchObject({
      type: 'ALIAS',
      name: '@',
    });
  });

  it.each<[string, string, string | null, boolean]>([
    ['example.com', 'example.com', null, true],
    ['example.com', 'example.com', 'example.com', true],
    // Not delegated yet: the registry answers.
    ['example.com', 'example.com', 'com', true],
    ['example.co.uk', 'example.co.uk', 'co.uk', true],
    ['acme.example', 'acme.example', 'example', true],
    ['acme.example', 'acme.example', '', true],
    ['shop.js.org', 'shop.js.org', null, true],
    ['shop.js.org', 'shop.js.org', 'js.org', false],
    ['shop.js.org', 'shop.js.org', 'shop.js.org', true],
    ['docs.example.com', 'example.com', null, false],
    ['docs.example.com', 'example.com', 'example.com', false],
    ['docs.example.com', 'example.com', 'docs.example.com', true],
    ['docs.example.com', 'example.com', 'com', false],
  ])('of %s below %s in the zone %s: an apex is %s', (name, apexName, zone, isApex) => {
    expect(isApexOf({ name, apexName, zone })).toBe(isApex);
    expect(routingRecord({ ...target, name, apexName, zone }).type).toBe(isApex ? 'ALIAS' : 'CNAME');
  });

  it('of a wildcard prove its base, and include the delegation', () => {
    const wildcard = { name: '*.example.com', apexName: 'example.com' };
    expect(routingRecord({ ...wildcard, ...target })).toMatchObject({ type: 'CNAME', name: '*' });
    expect(routingRecord({ ...wildcard, name: '*.docs.example.com', ...target }).name).toBe('*.docs');
    expect(ownershipRecord(wildcard, 'secret').name).toBe('_platform-challenge');
    const delegation = delegationFor(wildcard.name, '0a1b', 'acme.pets.example');
    expect(delegation).toEqual(delegationFor('example.com', '0a1b', 'acme.pets.example'));
    expect(delegationRecord(wildcard, delegation)).toEqual({
      type: 'CNAME',
      name: '_acme-challenge',
      value: '0a1b.acme.pets.example',
      ttl: 3600,
      purpose: 'delegation',
    });
  });

  it.each([
    ['an apex of 233 characters', 'a'.repeat(233), true, true],
    ['a longer apex, whose proof has no room', 'a'.repeat(234), true, false],
    ['a wildcard of a base of 237 characters', `*.${'a'.repeat(237)}`, false, true],
    ['a longer wildcard, whose delegation has no room', `*.${'a'.repeat(238)}`, false, false],
    ['a subdomain of full length', 'a'.repeat(253), false, true],
  ])('can all exist for %s: %s', (_kind, name, isApex, expected) => {
    expect(fitsInDns(longestRequiredHost(name, isApex))).toBe(expected);
  });

  it.each([
    ['docs.example.com', '_platform-challenge.docs'],
    ['example.com', '_platform-challenge'],
  ])('prove ownership of %s by a TXT', (name, label) => {
    expect(ownershipRecord({ name, apexName: 'example.com' }, 'secret')).toEqual({
      type: 'TXT',
      name: label,
      value: 'secret',
      ttl: 3600,
      purpose: 'ownership',
    });
  });

  it.each([
    ['docs.example.com', '_acme-challenge.docs'],
    ['example.com', '_acme-challenge'],
  ])('delegate the challenges of %s by an optional CNAME', (name, label) => {
    const delegation = delegationFor(name, '0a1b', 'acme.pets.example');
    expect(delegation.host).toBe(`_acme-challenge.${name}`);
    expect(delegationRecord({ name, apexName: 'example.com' }, delegation)).toEqual({
      type: 'CNAME',
      name: label,
      value: '0a1b.acme.pets.example',
      ttl: 3600,
      purpose: 'delegation',
      optional: true,
    });
  });
});
