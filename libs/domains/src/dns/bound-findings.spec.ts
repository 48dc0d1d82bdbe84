import { describe, expect, it } from '@jest/globals';
import type { DnsFindings, DnsLookup, ExpectedDns } from '@pets/contracts';
import { apex, findings, found, onServer, ours, sub, summary, target, type Asked } from '../../test/dns-findings.js';
import { boundFindings } from './bound-findings.js';
import { evaluateDns } from './evaluate-dns.js';
import { evaluateOwnership } from './evaluate-ownership.js';

const host = '_platform-challenge.docs.example.com';
const sibling = 'wildcard-probe-0123456789abcdef.docs.example.com';
const token = 'p4V0nJ2mXq8Tr6Wc1Zy7Hk3LbN0';
const proving: ExpectedDns = { ...sub, ownershipHost: host, ownershipToken: token };
const servers = ['1', '2', '3', '4', '5', '6'];
const sizeOf = (all: DnsFindings) => JSON.stringify(all).length;
const junk = (count: number, length: number) =>
  Array.from({ length: count }, (_value, i) => String(i).padEnd(length, ' '));
const asked = (...questions: Asked[]): DnsFindings => findings(...servers.map((server) => onServer(server, questions)));
const only = ({ lookups: [first] }: DnsFindings) => (first?.answer.kind === 'found' ? first.answer : undefined);

describe('boundFindings', () => {
  const seen = asked([sub.name, 'CNAME', found(target)], [host, 'TXT', found(...junk(3_000, 20))]);

  it('leaves what is usual as it is', () => {
    const usual = asked(
      [sub.name, 'CNAME', found(target)],
      [sub.name, 'A', { kind: 'absent' }],
      [host, 'TXT', found(token, 'v=spf1 -all')],
    );
    expect(boundFindings(usual, proving)).toStrictEqual(usual);
  });

  it.each<[string, DnsFindings]>([
    ['many records', seen],
    ['long ones', asked([host, 'TXT', found('x'.repeat(60_000))])],
    ['many long ones', asked([host, 'TXT', found(...junk(200, 300))])],
    ['names that CNAMEs lead to', asked([sub.name, 'CNAME', found(...junk(200, 300))])],
  ])('keeps of %s what one can use, and says what is missing', (_title, all) => {
    const bounded = boundFindings(all, proving);
    expect(sizeOf(bounded)).toBeLessThan(16_384);
    expect(JSON.stringify(bounded)).toMatch(/"omitted":\d+|bytes, cut/);
    expect(boundFindings(bounded, proving)).toEqual(bounded);
  });

  it('counts what it leaves out, also when it is done again', () => {
    const one = findings(onServer('1', [[host, 'TXT', found(...junk(3_000, 20))]]));
    const bounded = boundFindings(one, proving);
    expect(only(bounded)?.records).toHaveLength(16);
    expect(only(bounded)?.omitted).toBe(2_984);
  });

  it('never leaves out the token at a name with the zone twice', () => {
    const doubled = asked(
      [host, 'TXT', { kind: 'absent' }],
      [`${host}.example.com`, 'TXT', found(...junk(100, 20), token)],
    );
    const verdict = evaluateOwnership(boundFindings(doubled, proving), host, token);
    expect(verdict).toMatchObject({ kind: 'refuted', enteredAt: `${host}.example.com` });
  });

  it.each([0, 1, 16, 2_999])('never leaves out the token, wherever it stands: after %i others', (before) => {
    const values = [...junk(before, 20), token, ...junk(2_999 - before, 20)];
    const bounded = boundFindings(
      asked([host, 'TXT', found(...values)], [sibling, 'TXT', { kind: 'absent' }]),
      proving,
    );
    expect(evaluateOwnership(bounded, host, token).kind).toBe('proven');
    expect(sizeOf(bounded)).toBeLessThan(16_384);
  });

  it.each([
    ['with a wrong character', `${token.slice(0, -1)}x`],
    ['without its last eight characters', token.slice(0, -8)],
  ])('keeps what may be the token with a mistake: %s', (_title, slip) => {
    const bounded = boundFindings(asked([host, 'TXT', found(...junk(2_000, 200), slip)]), proving);
    expect(only(bounded)?.records[0]?.value).toBe(slip);
  });

  it('leaves the addresses of our own target alone, however many it has', () => {
    const many = Array.from({ length: 40 }, (_value, i) => `198.51.100.${i}`);
    const all = asked(
      [apex.name, 'CNAME', { kind: 'absent' }],
      [apex.name, 'A', found(...many)],
      [target, 'A', found(...many)],
    );
    const bounded = boundFindings(all, apex);
    expect(summary(evaluateDns(bounded, apex))).toBe('matches');
    const ofTarget = ({ lookups }: DnsFindings) => lookups.filter(({ name }) => name === target);
    expect(ofTarget(bounded)).toEqual(ofTarget(all));
  });

  it('does not count the records of our own target, or the first of a set, towards the limit of all values', () => {
    const values = ['v=spf1 -all', ...junk(15, 512)];
    const two = [
      onServer('1', [[sub.name, 'TXT', found(...values)]]),
      onServer('2', [[sub.name, 'TXT', found(...values)]]),
    ];
    const ofTarget = onServer('0', [[target, 'A', found(...junk(100, 500))]]);
    const { lookups } = boundFindings(findings(ofTarget, ...two), sub);
    const counts = lookups.map(({ answer }) => (answer.kind === 'found' ? answer.records.length : 0));
    expect(counts).toEqual([100, 9, 9]);
  });

  it('keeps the record that a sibling shares with the name', () => {
    const address = '203.0.113.250';
    const all = asked(
      [sub.name, 'A', found(address)],
      [sibling, 'A', found(...Array.from({ length: 100 }, (_value, i) => `203.0.113.${i}`), address)],
    );
    const [, ofSibling] = boundFindings(all, proving).lookups;
    expect(ofSibling?.answer).toMatchObject({ records: expect.arrayContaining([{ value: address, ttl: 60 }]) });
  });

  it('keeps the first of other TXT records', () => {
    const values = [...junk(100, 200), token];
    const bounded = boundFindings(findings(onServer('1', [[sub.name, 'TXT', found(...values)]])), proving);
    expect(only(bounded)?.records.map(({ value }) => value)).toEqual(values.slice(0, 16));
  });

  it('keeps the first TXT records of a sibling where no proof is expected', () => {
    const values = junk(100, 20);
    const bounded = boundFindings(findings(onServer('1', [[sibling, 'TXT', found(...values)]])), sub);
    expect(only(bounded)?.records.map(({ value }) => value)).toEqual(values.slice(0, 16));
  });

  it.each([
    ['example.com', 'example.com'],
    [null, null],
    ['z'.repeat(1_000), expect.stringMatching(/^z{400,}… \(1000 bytes, cut\)$/)],
  ])('bounds the name of the zone', (zone, kept) => {
    expect(boundFindings({ ...findings(), zone }, sub).zone).toEqual(kept);
  });

  it('keeps the CNAME of the www name that leads to somebody else', () => {
    const own = 'w0k.cname.pets.example';
    const values = [...Array.from({ length: 100 }, () => own), 'other.example.net'];
    const bounded = boundFindings(asked(['www.example.com', 'CNAME', found(...values)]), {
      ...apex,
      wwwTargetHost: own,
    });
    expect(only(bounded)?.records[0]?.value).toBe('other.example.net');
  });

  it.each<[string, Partial<ExpectedDns>, string, string]>([
    ['of an apex', { wwwTargetHost: 'w0k.cname.pets.example' }, apex.name, target],
    [
      'of the delegation',
      { delegation: { host: '_acme-challenge.example.com', target: 'd0k.acme.pets.example' } },
      '_acme-challenge.example.com',
      'd0k.acme.pets.example',
    ],
  ])('keeps the CNAME %s that leads to somebody else', (_title, changes, at, own) => {
    const values = [...Array.from({ length: 100 }, () => own), 'other.example.net'];
    const bounded = boundFindings(asked([at, 'CNAME', found(...values)]), { ...apex, ...changes });
    expect(only(bounded)?.records[0]?.value).toBe('other.example.net');
  });

  it('bounds the names that an answer brings along', () => {
    const absent: DnsLookup['answer'] = { kind: 'absent', zone: 'z'.repeat(1_000) };
    const failed: DnsLookup['answer'] = { kind: 'failed', error: 'e'.repeat(1_000) };
    const lookups = [absent, failed].map((answer) => ({
      name: sub.name,
      type: 'A' as const,
      server: '1',
      answer,
      alias: 'a'.repeat(1_000),
    }));
    expect(sizeOf(boundFindings({ checkedAt: '', lookups, nameServers: null, zone: null }, sub))).toBeLessThan(2_500);
  });
});

describe('bounded findings have the same verdict as the original ones', () => {
  const foreign = '203.0.113.9';
  const repeated = (value: string, count: number) => Array.from({ length: count }, () => value);
  it.each<[string, ExpectedDns, DnsFindings, string]>([
    [
      'an apex with one foreign address behind a thousand of ours',
      apex,
      asked(
        [apex.name, 'CNAME', { kind: 'absent' }],
        [apex.name, 'A', found(...repeated('198.51.100.7', 1_000), foreign)],
        ...ours,
      ),
      'mismatch apex_not_pointing_here',
    ],
    [
      'an apex with a thousand times our address',
      apex,
      asked(
        [apex.name, 'CNAME', { kind: 'absent' }],
        [apex.name, 'A', found(...repeated('198.51.100.7', 1_000))],
        ...ours,
      ),
      'matches',
    ],
    [
      'a CNAME to elsewhere behind a thousand to us',
      sub,
      asked([sub.name, 'CNAME', found(...repeated(target, 1_000), 'other.example.net')]),
      'mismatch cname_mismatch',
    ],
    [
      'more CNAMEs than can be followed, all of which lead here',
      sub,
      asked(
        [sub.name, 'CNAME', found(...Array.from({ length: 40 }, (_value, i) => `h${i}.example.net`))],
        ...Array.from({ length: 40 }, (_value, i): Asked => [`h${i}.example.net`, 'CNAME', found(target)]),
      ),
      'mismatch cname_mismatch',
    ],
    [
      'addresses where the CNAME belongs',
      sub,
      asked(
        [sub.name, 'CNAME', { kind: 'absent' }],
        [sub.name, 'A', found(...Array.from({ length: 3_000 }, (_value, i) => `203.0.${i >> 8}.${i & 255}`))],
      ),
      'mismatch conflicting_a',
    ],
  ])('%s', (_title, expected, all, verdict) => {
    const result = evaluateDns(all, expected);
    expect(summary(result)).toBe(verdict);
    expect(evaluateDns(boundFindings(all, expected), expected)).toEqual(result);
    expect(JSON.stringify(result).length).toBeLessThan(6_000);
  });
});
