import { describe, expect, it } from '@jest/globals';
import { issueCodes, type DomainIssue, type IssueCode } from '@pets/contracts';
import { describeIssue, issueCatalog } from './issue-catalog.js';

const name = 'docs.example.com';
const acmeHost = '_acme-challenge.docs.example.com';
const proofHost = '_platform-challenge.docs.example.com';
const target = 'target.example';
const hint = 'Enter the value with a final dot.';

it.each<[IssueCode, DomainIssue['evidence'], string | null]>([
  ['no_record', { name, expected: target }, 'docs.example.com has no DNS record yet.'],
  [
    'entered_with_zone',
    { name, seen: 'docs.example.com.example.com', entered: 'docs', expected: target },
    'The record exists, but its name ends with the zone twice, so docs.example.com has none. Your DNS provider adds the zone to the name that you enter.',
  ],
  [
    'cname_mismatch',
    { name, seen: 'other.example', expected: target },
    'The CNAME record of docs.example.com points to another host.',
  ],
  [
    'cname_mismatch',
    { name, seen: 'other.example', expected: target, hint },
    'The CNAME record of docs.example.com points to another host. Enter the value with a final dot.',
  ],
  [
    'cname_mismatch',
    { name, seen: 'other.example', expected: target, wildcard: '*.example.com', hint: 'A wildcard answers.' },
    'docs.example.com has no record of its own. A wildcard answers.',
  ],
  [
    'conflicting_a',
    { name, seen: ['203.0.113.7'], expected: target },
    'docs.example.com has A records where its CNAME should be.',
  ],
  [
    'conflicting_a',
    { name, seen: ['203.0.113.7'], expected: target, wildcard: '*.example.com', hint: 'A wildcard answers.' },
    'docs.example.com has no record of its own. A wildcard answers.',
  ],
  [
    'conflicting_aaaa',
    { name, seen: ['2001:db8::7'], expected: target },
    'docs.example.com has AAAA records where its CNAME should be.',
  ],
  [
    'conflicting_aaaa',
    { name, seen: ['2001:db8::7'], expected: target, wildcard: '*.example.com' },
    'docs.example.com has no record of its own.',
  ],
  [
    'conflicting_records',
    { name, seen: ['A 203.0.113.7'], expected: target },
    'docs.example.com has other records besides its CNAME. They may receive some of the visitors.',
  ],
  [
    'proxied_by_cdn',
    { name, seen: ['104.16.1.1'], expected: target, proxy: 'Cloudflare' },
    'docs.example.com goes through a proxy of Cloudflare, so neither visitors nor the certificate authority reach us.',
  ],
  [
    'proxied_by_cdn',
    { name, seen: ['104.16.1.1'], expected: target, hint },
    'docs.example.com goes through a proxy, so neither visitors nor the certificate authority reach us. Enter the value with a final dot.',
  ],
  [
    'dns_lost',
    { name, expected: target },
    'docs.example.com no longer points here. We still serve the visitors that arrive.',
  ],
  [
    'apex_cname',
    { name, seen: 'other.example', expected: target },
    'docs.example.com has a CNAME record to another host. An apex needs an ALIAS record or addresses: a CNAME hides its other records, such as those for mail.',
  ],
  [
    'apex_cname',
    { name, seen: 'other.example', expected: target, hint },
    'docs.example.com has a CNAME record to another host. An apex needs an ALIAS record or addresses: a CNAME hides its other records, such as those for mail. Enter the value with a final dot.',
  ],
  [
    'apex_cname_to_us',
    { name, expected: target },
    'docs.example.com points here with a CNAME record. An apex should have an ALIAS record or addresses: a CNAME hides its other records, such as those for mail.',
  ],
  ['apex_not_pointing_here', { name, seen: ['203.0.113.7'] }, 'docs.example.com has the address of another server.'],
  [
    'apex_not_pointing_here',
    { name, seen: ['203.0.113.7'], wildcard: '*.com', hint: 'A wildcard answers.' },
    'docs.example.com has the address of another server. A wildcard answers.',
  ],
  [
    'flattened',
    { name, expected: target },
    'docs.example.com shows our addresses instead of the CNAME, because its DNS provider resolves that itself. No action is needed, unless you entered the addresses yourself: then replace them with the CNAME, since our addresses may change.',
  ],
  [
    'address_retiring',
    { name, seen: ['198.51.100.8'], expected: target },
    'docs.example.com has an address of ours that will stop answering. It still works now.',
  ],
  [
    'ownership_txt_missing',
    { name: proofHost, expected: 'token' },
    'The TXT record that proves who owns the name was not found at _platform-challenge.docs.example.com.',
  ],
  [
    'ownership_txt_missing',
    { name: proofHost, expected: 'token', hint: 'A CNAME answers in its place.' },
    'The TXT record that proves who owns the name was not found at _platform-challenge.docs.example.com. A CNAME answers in its place.',
  ],
  [
    'ownership_txt_missing',
    { name: proofHost, expected: 'token', seen: ['pets=token'], hint: 'Remove “pets=”.' },
    'The TXT record at _platform-challenge.docs.example.com, which proves who owns the name, has another value. Remove “pets=”.',
  ],
  ['ownership_txt_missing', { name: proofHost, length: 260 }, null],
  [
    'ownership_txt_of_others',
    { name, host: proofHost, seen: ['w9K2'] },
    'The TXT record at _platform-challenge.docs.example.com has a value of another organization, which can take docs.example.com over with it. Keep that value only if the name is to move there.',
  ],
  [
    'delegation_missing',
    { name: '*.docs.example.com', host: acmeHost, expected: target },
    'The CNAME record of _acme-challenge.docs.example.com was not found. Certificate authorities issue no certificate for *.docs.example.com without it.',
  ],
  [
    'delegation_missing',
    { name: '*.docs.example.com', host: acmeHost, expected: target, seen: ['other.example'], hint },
    'The CNAME record of _acme-challenge.docs.example.com points to another host. Certificate authorities issue no certificate for *.docs.example.com without it. Enter the value with a final dot.',
  ],
  [
    'delegation_mismatch',
    { name, host: acmeHost, expected: target, seen: ['other.example'] },
    'The CNAME record of _acme-challenge.docs.example.com points to another host, so the certificate cannot be issued before docs.example.com points here.',
  ],
  [
    'delegation_mismatch',
    { name, host: acmeHost, expected: target, seen: ['other.example'], hint },
    'The CNAME record of _acme-challenge.docs.example.com points to another host, so the certificate cannot be issued before docs.example.com points here. Enter the value with a final dot.',
  ],
  [
    'delegation_shadowed',
    { name, host: acmeHost, expected: target, seen: ['gfj9'] },
    'A TXT record at _acme-challenge.docs.example.com hides the CNAME record there, so no certificate for docs.example.com can be issued with it. Cloudflare adds such records without showing them: disable Universal SSL for the zone there.',
  ],
  ['delegation_shadowed', { name, host: acmeHost, expected: target }, null],
  [
    'preparation_expired',
    { name, expected: target, since: '2026-08-04T09:10:00.000Z' },
    'docs.example.com has been prepared for a switch since 2026-08-04T09:10:00.000Z and still points elsewhere, so its certificate is no longer renewed. Switch it, or check the DNS to continue the preparation.',
  ],
  [
    'caa_forbids',
    { at: 'example.com', records: ['0 issue "other-ca.example"'] },
    'The CAA records of example.com do not allow our certificate authority to issue a certificate.',
  ],
  ['propagating', { stale: ['192.0.2.53:53'] }, null],
])('%s with %j has a short cause', (code, evidence, cause) => {
  expect(describeIssue(code, evidence).cause).toBe(cause);
});

describe.each(issueCodes.filter((code) => issueCatalog[code].cause !== undefined))('the cause of %s', (code) => {
  it('leaves out the values that the list of records shows', () => {
    const { cause, evidence } = describeIssue(code, issueCatalog[code].example);
    const values = [evidence['seen'] ?? [], evidence['expected'] ?? []].flat().map(String);
    expect(cause).toMatch(/^\S.*\.$/);
    expect(values.filter((value) => cause?.includes(value))).toEqual([]);
  });

  it('shows an internationalized name in Unicode, followed by its ASCII form', () => {
    const ascii = 'xn--bcher-kva.example.com';
    const { example } = issueCatalog[code];
    const named = { ...example, name: ascii, at: ascii, host: ascii };
    expect(describeIssue(code, named).cause).toContain('bücher.example.com (xn--bcher-kva.example.com)');
  });
});
