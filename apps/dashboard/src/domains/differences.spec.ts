import { describe, expect, it } from '@jest/globals';
import type { Domain, RequiredRecord } from '@pets/contracts';
import { compareEvidence, differencesOf, shortenValues } from './differences.js';
import { exampleIssue } from './issue.example.js';

const target = '37d5b67e1c9a4f20b8d3a6e5c4f1029384756abc.cname.pets.example';
const cname: RequiredRecord = { type: 'CNAME', name: 'docs', value: target, ttl: 3600, purpose: 'routing' };
const alias: RequiredRecord = { ...cname, type: 'ALIAS', name: '@' };
const txt: RequiredRecord = {
  ...cname,
  type: 'TXT',
  name: '_platform-challenge',
  value: 'pets=1',
  purpose: 'ownership',
};
const name = 'docs.example.com';

type Facts = Parameters<typeof differencesOf>[0];

const facts = (dns: Partial<Domain['dns']>, others: Partial<Facts> = {}): Facts => ({
  ...{ name, apexName: 'example.com', state: 'awaiting_dns', misconfigured: false, records: [cname], issues: [] },
  dns: {
    ...{ requestedAt: null, checkedAt: null, nextCheckAt: null },
    nameServers: [],
    observed: [],
    conflicts: [],
    ...dns,
  },
  ...others,
});
const texts = (domain: Facts) =>
  differencesOf(domain).map(({ action, type, name: at, value, required }) =>
    [action, type, at, value, required?.value].filter(Boolean).join(' '),
  );

describe('the changes to make', () => {
  it('are none while nothing conflicts: the records to create say everything', () => {
    expect(texts(facts({}))).toEqual([]);
  });

  it('delete what conflicts, and add what is missing', () => {
    const conflicts = [{ type: 'A', name, value: '203.0.113.7', action: 'remove' as const }];
    expect(texts(facts({ conflicts }))).toEqual([`delete A ${name} 203.0.113.7`, `add CNAME ${name} ${target}`]);
  });

  it('change a wrong value instead of adding a second record', () => {
    const conflicts = [{ type: 'CNAME', name, value: 'old.example.net', action: 'change' as const }];
    expect(texts(facts({ conflicts }))).toEqual([`change CNAME ${name} old.example.net ${target}`]);
  });

  it('keep a record that exists, whatever its case', () => {
    const conflicts = [{ type: 'MX', name, value: '10 mail.example.com', action: 'remove' as const }];
    const observed = [
      { type: 'CNAME', name: 'DOCS.example.com.', value: `${target}.`, ttl: 60, resolver: '192.0.2.53' },
    ];
    expect(texts(facts({ conflicts, observed }))).toEqual([`delete MX ${name} 10 mail.example.com`]);
  });

  it('restore the record of a live domain whose DNS changed', () => {
    expect(texts(facts({}, { state: 'live', misconfigured: true }))).toEqual([`add CNAME ${name} ${target}`]);
  });

  it('replace a CNAME at an apex, and name the missing proof', () => {
    const conflicts = [{ type: 'CNAME', name: 'example.com', value: 'old.example.net', action: 'change' as const }];
    const issues = [exampleIssue({ code: 'ownership_txt_missing', area: 'ownership' })] as const;
    expect(texts(facts({ conflicts }, { name: 'example.com', records: [alias, txt], issues }))).toEqual([
      'delete CNAME example.com old.example.net',
      `add ALIAS example.com ${target}`,
      'add TXT _platform-challenge.example.com pets=1',
    ]);
  });

  it.each([
    ['no ALIAS where all of our addresses are there instead', ['203.0.113.7', '2001:db8::7'], []],
    ['the ALIAS where one of them is missing', ['203.0.113.7'], [`add ALIAS example.com ${target}`]],
  ])('add %s', (_case, seen, added) => {
    const alternatives: NonNullable<RequiredRecord['alternatives']> = [
      { type: 'A', name: '@', value: '203.0.113.7', ttl: 3600 },
      { type: 'AAAA', name: '@', value: '2001:db8::7', ttl: 3600 },
    ];
    const conflicts = [{ type: 'A', name: 'example.com', value: '192.0.2.9', action: 'remove' as const }];
    const observed = alternatives
      .filter(({ value }) => seen.includes(value))
      .map(({ type, value }) => ({ type, name: 'example.com', value, ttl: 60, resolver: '192.0.2.53' }));
    const domain = facts({ conflicts, observed }, { name: 'example.com', records: [{ ...alias, alternatives }] });
    expect(texts(domain)).toEqual(['delete A example.com 192.0.2.9', ...added]);
  });
});

it('a message does not repeat a long value', () => {
  expect(shortenValues(`Create a CNAME to ${target}.`, [cname, txt], 'the value above')).toBe(
    'Create a CNAME to the value above.',
  );
});

describe('compareEvidence', () => {
  it('returns the expected and the observed value', () => {
    expect(compareEvidence({ evidence: { seen: 'a.example', expected: 'b.example' } })).toEqual({
      seen: ['a.example'],
      expected: ['b.example'],
    });
  });

  it('returns the CAA records and the one that would permit issuance', () => {
    const evidence = { records: ['0 issue "other.example"'], permitting: '0 issue "ca.example"' };
    expect(compareEvidence({ evidence })).toEqual({
      seen: ['0 issue "other.example"'],
      expected: ['0 issue "ca.example"'],
    });
  });

  it('returns null when nothing was observed', () => {
    expect(compareEvidence({ evidence: { expected: 'b.example' } })).toBeNull();
  });
});
