/** Names at addresses that the operator has listed: rotation, DNS by region, and addresses that are given up. */
import { describe, expect, it } from '@jest/globals';
import type { DnsFindings } from '@pets/contracts';
import {
  absent,
  apex as plainApex,
  failed,
  findings,
  found,
  ofZone,
  onServer,
  sub as plainSub,
  summary,
  target,
  type Asked,
} from '../../test/dns-findings.js';
import { boundFindings } from './bound-findings.js';
import { evaluateDns } from './evaluate-dns.js';
import { expectedAddresses, findAddressFault, offeredAddresses, shownAddresses } from './public-addresses.js';
import { noticedAddresses, withRetiringAddresses } from './match-by-address.js';
import { alternativeRecords, routingRecord } from '../names/required-records.js';

const eight = [1, 2, 3, 4, 5, 6, 7, 8].map((last) => `198.51.100.${last}`);
const since = new Date('2026-11-01T00:00:00Z');
const listed = [...eight, '2001:db8::7'].map((address) => ({ address, retiringSince: null }));
const retiring = listed.map((one) => (one.address === '198.51.100.8' ? { ...one, retiringSince: since } : one));
const apex = { ...plainApex, ...expectedAddresses(retiring) };
const sub = { ...plainSub, ...expectedAddresses(retiring) };
const at = (name: string, ...a: string[]): Asked[] => [
  [name, 'CNAME', absent],
  [name, 'A', found(...a)],
  [name, 'AAAA', absent],
];
const ofTarget = (...a: string[]): Asked[] => [
  [target, 'A', found(...a)],
  [target, 'AAAA', absent],
];
const silent: Asked[] = [
  [target, 'A', failed],
  [target, 'AAAA', failed],
];
const seenAt = (name: string, a: readonly string[], ours: Asked[] = []): DnsFindings =>
  findings(onServer('r1', [...at(name, ...a), ...ours]), ofZone('n1', at(name, ...a)));

describe('a name at listed addresses', () => {
  it('matches whichever two of eight rotating addresses its server and the resolvers return', () => {
    for (let turn = 0; turn < 20; turn += 1) {
      const pair = [eight[turn % 8] ?? '', eight[(turn + 3) % 8] ?? ''];
      const others = [eight[(turn + 1) % 8] ?? '', eight[(turn + 2) % 8] ?? ''];
      const seen = seenAt(apex.name, pair, ofTarget(...others));
      expect(summary(evaluateDns(seen, apex))).toBe('matches');
      expect(summary(evaluateDns(seen, plainApex))).toBe('mismatch apex_not_pointing_here');
    }
  });

  it.each([
    ['at an apex', apex],
    ['below an apex', sub],
  ])('matches by address %s, without an answer about the target', (_case, expected) => {
    for (const answers of [[], silent, ofTarget()])
      expect(evaluateDns(seenAt(expected.name, ['198.51.100.1'], answers), expected)).toMatchObject({
        kind: 'matches',
        by: 'address',
      });
  });

  it('matches in any spelling', () => {
    const seen = findings(onServer('r1', [...at(apex.name), [apex.name, 'AAAA', found('2001:DB8:0::7')]]));
    expect(summary(evaluateDns(seen, apex))).toBe('matches');
  });

  it.each<[string, Asked[], string]>([
    ['stays unknown while the target cannot be looked up', silent, 'unknown resolver_failed'],
    ['is a mismatch beside the answer for the target', ofTarget('198.51.100.1'), 'mismatch apex_not_pointing_here'],
    ['is a mismatch where the target has no address', ofTarget(), 'mismatch apex_not_pointing_here'],
    ['is one of the target that is not listed', ofTarget('203.0.113.9'), 'matches'],
  ])('another address %s', (_case, answers, verdict) => {
    expect(summary(evaluateDns(seenAt(apex.name, ['203.0.113.9'], answers), apex))).toBe(verdict);
  });

  it('is not reported as wrong beside another address, and the text has only addresses that are offered', () => {
    const seen = seenAt(apex.name, ['198.51.100.8', '198.51.100.1', '203.0.113.9'], ofTarget('198.51.100.1'));
    const verdict = evaluateDns(seen, apex);
    if (verdict.kind !== 'mismatch') throw new Error('it matches');
    expect(verdict.conflicts).toEqual([{ type: 'A', name: apex.name, value: '203.0.113.9', action: 'remove' }]);
    const [issue] = verdict.issues;
    expect(issue).toMatchObject({ evidence: { seen: ['203.0.113.9'], expected: offeredAddresses(apex) } });
    expect(issue?.remediation).toContain('A 198.51.100.1, ');
    expect(issue?.remediation).toContain('AAAA 2001:db8::7');
    expect(issue?.remediation).not.toContain('198.51.100.8');
  });

  it('does not hide another address from the limits on findings', () => {
    const many = Array.from({ length: 40 }, () => '198.51.100.1');
    const bounded = boundFindings(seenAt(apex.name, [...many, '203.0.113.9']), apex);
    expect(summary(evaluateDns(bounded, { ...apex, addresses: ['198.51.100.1'] }))).not.toBe('matches');
  });

  it('below an apex does not match while a server shows a CNAME to another place', () => {
    const seen = findings(
      onServer('r1', at(sub.name, '198.51.100.1')),
      onServer('r2', [[sub.name, 'CNAME', found('other.example.net')]]),
    );
    expect(summary(evaluateDns(seen, sub))).toBe('mismatch propagating cname_mismatch');
  });
});

describe('the sentence about an apex at other addresses', () => {
  it('says what resolvers return, where no addresses are listed', () => {
    const verdict = evaluateDns(seenAt(plainApex.name, ['198.51.100.1'], ofTarget('198.51.100.2')), plainApex);
    expect(verdict.kind === 'mismatch' && verdict.issues[0]?.message).toBe(
      `example.com resolves to 198.51.100.1. Resolvers have other addresses for ${target}: 198.51.100.2.`,
    );
  });
});

describe('a retiring address', () => {
  const noticed = ['198.51.100.8'];
  const codes = (seen: DnsFindings, expected = apex, all = noticed) => {
    const dns = withRetiringAddresses(evaluateDns(seen, expected), seen, expected, all);
    return dns.kind === 'matches' ? (dns.notes ?? []).map(({ code }) => code) : [dns.kind];
  };

  it('still matches, with a warning', () => {
    expect(codes(seenAt(apex.name, ['198.51.100.8', '198.51.100.1'], ofTarget('198.51.100.1')))).toEqual([
      'address_retiring',
    ]);
    expect(codes(seenAt(sub.name, ['198.51.100.8'], ofTarget('198.51.100.1')), sub)).toEqual([
      'address_retiring',
      'flattened',
    ]);
  });

  it('is to be replaced by an alias of the target, which is a CNAME below an apex', () => {
    const remediationOf = (expected: typeof apex) => {
      const seen = seenAt(expected.name, ['198.51.100.8'], ofTarget('198.51.100.1'));
      const dns = withRetiringAddresses({ kind: 'matches', by: 'address' }, seen, expected, noticed);
      return dns.kind === 'matches' ? dns.notes?.map(({ remediation }) => remediation) : undefined;
    };
    expect(remediationOf(apex)).toStrictEqual([expect.stringContaining('ALIAS or ANAME')]);
    expect(remediationOf(sub)).toStrictEqual([expect.stringContaining('CNAME')]);
  });

  it('has no warning where it is not shown, before its time, or where the name follows the target', () => {
    expect(codes(seenAt(apex.name, ['198.51.100.1']))).toEqual([]);
    expect(codes(seenAt(apex.name, ['198.51.100.8']), apex, [])).toEqual([]);
    expect(codes(seenAt(apex.name, ['198.51.100.8'], ofTarget('198.51.100.8')))).toEqual([]);
    expect(codes(seenAt(apex.name, ['203.0.113.9', '198.51.100.8'], ofTarget('198.51.100.1')))).toEqual(['mismatch']);
  });

  it('has no warning at a name that shows our target, whatever addresses its provider adds', () => {
    const seen = findings(
      onServer('r1', [
        [sub.name, 'CNAME', found(target)],
        [sub.name, 'A', found('198.51.100.8')],
        ...ofTarget('198.51.100.1'),
      ]),
    );
    expect(codes(seen, sub)).toEqual([]);
  });

  it('is warned about in the course of a day, at the same time of that day for a domain', () => {
    const ids = Array.from(
      { length: 240 },
      (_, nth) =>
        `${Math.floor((nth / 240) * 2 ** 32)
          .toString(16)
          .padStart(8, '0')}-x`,
    );
    const warned = (hours: number) =>
      ids.filter((id) => noticedAddresses(retiring, id, new Date(since.getTime() + hours * 3_600_000)).length > 0)
        .length;
    expect([0, 6, 12, 18, 24].map(warned)).toEqual([1, 61, 121, 181, 240]);
    expect(noticedAddresses(retiring, '00000000-x', since)).toEqual(noticed);
  });

  it('is not offered', () => {
    expect(offeredAddresses(apex)).not.toContain('198.51.100.8');
    expect(offeredAddresses(expectedAddresses([]))).toEqual([]);
  });

  it('is no part of a check without any', () => {
    expect(expectedAddresses([])).toEqual({ addresses: [], retiringAddresses: [] });
    expect(expectedAddresses(listed)).toEqual({ addresses: [...eight, '2001:db8::7'], retiringAddresses: [] });
  });
});

describe('shownAddresses', () => {
  it('has the listed addresses at the name, and nothing where no server has answered', () => {
    expect(shownAddresses(seenAt(apex.name, ['198.51.100.2', '203.0.113.9']), apex.name, eight)).toEqual([
      '198.51.100.2',
    ]);
    expect(shownAddresses(findings(onServer('r1', [[apex.name, 'CNAME', failed]])), apex.name, eight)).toBeUndefined();
    const others = findings(
      onServer('r1', [...at('other.example', '198.51.100.3'), [apex.name, 'TXT', found('198.51.100.4')]]),
    );
    expect(shownAddresses(others, apex.name, eight)).toBeUndefined();
    const half = findings(
      onServer('r1', [
        [apex.name, 'A', failed],
        [apex.name, 'AAAA', found('2001:db8::7')],
        [apex.name, 'CNAME', found('198.51.100.5')],
      ]),
    );
    expect(shownAddresses(half, apex.name, [...eight, '2001:db8::7'])).toEqual(['2001:db8::7']);
    const alias = onServer('r1', at(apex.name, '198.51.100.2')).map((lookup) => ({
      ...lookup,
      alias: 'other.example',
    }));
    expect(shownAddresses(findings(alias), apex.name, eight)).toEqual([]);
    const cname = findings(onServer('r1', [[apex.name, 'CNAME', found(target)]]));
    expect(shownAddresses(cname, apex.name, eight)).toEqual([]);
  });
});

describe('findAddressFault', () => {
  it.each<[string, boolean | null]>([
    ['185.199.108.153', null],
    ['2a00:1450::1', null],
    ['10.0.0.1', false],
    ['127.0.0.1', false],
    ['169.254.1.1', false],
    ['100.64.0.1', false],
    ['198.51.100.7', false],
    ['224.0.0.1', false],
    ['::1', false],
    ['fe80::1', false],
    ['::ffff:185.199.108.153', false],
    ['edge.example.com', false],
    ['104.16.1.1', true],
    ['2606:4700::1', true],
  ])('%s: shared is %s', (address, isShared) => {
    expect(findAddressFault(address)?.isShared ?? null).toBe(isShared);
  });
});

it('a fault of an address is said in words', () => {
  expect(['edge.example.com', '10.0.0.1', '104.16.1.1'].map((address) => findAddressFault(address)?.problem)).toEqual([
    'is not an IP address',
    'is not a public address: visitors could not reach it from everywhere',
    'is an address of Cloudflare, where sites of others are as well',
  ]);
});

describe('alternativeRecords', () => {
  const named = { name: 'example.com', apexName: 'example.com', zone: null, targetHost: target };
  it('has a record for each address in place of an ALIAS, and of a CNAME only where addresses are shown', () => {
    const alias = routingRecord(named);
    expect(alternativeRecords(alias, ['198.51.100.1', '2001:db8::7'], false)).toEqual([
      { type: 'A', name: '@', value: '198.51.100.1', ttl: 3600 },
      { type: 'AAAA', name: '@', value: '2001:db8::7', ttl: 3600 },
    ]);
    const cname = routingRecord({ ...named, name: 'docs.example.com' });
    expect(alternativeRecords(cname, ['198.51.100.1'], false)).toBeUndefined();
    expect(alternativeRecords(cname, ['198.51.100.1'], true)).toMatchObject([{ type: 'A', name: 'docs' }]);
    expect(alternativeRecords(alias, [], true)).toBeUndefined();
  });
});
