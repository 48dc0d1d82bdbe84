import { describe, expect, it } from '@jest/globals';
import type { DnsQuestionType } from '@pets/contracts';
import {
  absent,
  apex,
  findings,
  found,
  nothing,
  onServer,
  ours,
  sub,
  summary,
  target,
  type Asked,
} from '../../test/dns-findings.js';
import { judgeDns } from './judge-dns.js';
import { doubledNameOf, wildcardProbeOf } from './probes.js';

describe('judgeDns explains', () => {
  const first = (asked: Asked[], expected = sub) => {
    const verdict = judgeDns(findings(onServer('1', asked)), expected);
    return verdict.kind === 'mismatch' ? { ...verdict.issues[0], conflicts: verdict.conflicts } : verdict;
  };

  it.each<[string, Asked[]]>([
    ['addresses of Cloudflare', [[sub.name, 'A', found('104.16.132.229')]]],
    ['IPv6 addresses of Cloudflare', [[sub.name, 'AAAA', found('2606:4700::6810:84e5')]]],
    ['a CNAME into a proxy', [[sub.name, 'CNAME', found('docs.example.com.cdn.cloudflare.net')]]],
    [
      'a chain into a proxy',
      [
        [sub.name, 'CNAME', found('x.net')],
        ['x.net', 'CNAME', found('d1.cloudfront.net')],
      ],
    ],
  ])('a proxy by %s', (_case, asked) => {
    expect(first(asked)).toMatchObject({ code: 'proxied_by_cdn', evidence: { proxy: expect.any(String) } });
  });

  it('a proxied apex', () => {
    expect(first([[apex.name, 'A', found('104.16.132.229')], ...ours], apex)).toMatchObject({
      code: 'proxied_by_cdn',
      conflicts: [],
    });
  });

  it('a proxy beside a record of another kind, which has to go', () => {
    const verdict = judgeDns(findings(onServer('1', [[sub.name, 'A', found('104.16.132.229', '203.0.113.1')]])), sub);
    expect(summary(verdict)).toBe('mismatch proxied_by_cdn conflicting_a');
    expect(verdict).toMatchObject({ conflicts: [{ value: '203.0.113.1', action: 'remove' }] });
  });

  it('a near miss, with how far off it is', () => {
    expect(first([[sub.name, 'CNAME', found('t0.cname.pets.example')]])).toMatchObject({
      code: 'cname_mismatch',
      evidence: { hint: expect.stringContaining('cut off') },
    });
    expect(first([[sub.name, 'CNAME', found('t0l.cname.pets.example')]])).toMatchObject({ evidence: { distance: 1 } });
  });

  it('a record that was made with the zone twice', () => {
    const doubled: Asked = [doubledNameOf(sub.name, 'example.com'), 'CNAME', found(target)];
    expect(first([...nothing, doubled])).toMatchObject({
      code: 'no_record',
      evidence: { hint: expect.stringContaining('docs.example.com.example.com') },
    });
  });

  it.each<[string, DnsQuestionType, string, string]>([
    ['a CNAME', 'CNAME', 'elsewhere.example.net', 'cname_mismatch'],
    ['an address', 'A', '203.0.113.1', 'conflicting_a'],
  ])('%s of a wildcard, which need not go', (_case, type, value, code) => {
    const sibling: Asked = [wildcardProbeOf(sub.name, '0123456789abcdef'), type, found(value)];
    expect(first([[sub.name, type, found(value)], sibling])).toMatchObject({
      code,
      evidence: { wildcard: '*.example.com' },
      conflicts: [],
    });
    const other: Asked = [wildcardProbeOf(sub.name, '0123456789abcdef'), type, found('192.0.2.99')];
    expect(first([[sub.name, type, found(value)], other])).not.toMatchObject({
      evidence: { wildcard: '*.example.com' },
    });
  });

  it('which servers showed it', () => {
    const verdict = judgeDns(findings(onServer('1', nothing), onServer('2', nothing)), sub);
    expect(verdict).toMatchObject({ issues: [{ evidence: { servers: ['1', '2'] } }] });
  });
});

it('takes no address that a CNAME led to for a conflict', () => {
  const lookups = onServer('1', [
    [sub.name, 'CNAME', absent],
    [sub.name, 'A', found('203.0.113.1')],
  ]).map((lookup) => (lookup.type === 'A' ? { ...lookup, alias: 'made.meanwhile.example' } : lookup));
  expect(summary(judgeDns(findings(lookups), sub))).toBe('mismatch no_record');
});

it('compares IPv6 addresses by what they are, not by how they are spelled', () => {
  const asked: Asked[] = [[apex.name, 'AAAA', found('2001:0DB8:0:0::7')], ...ours];
  expect(summary(judgeDns(findings(onServer('1', asked)), apex))).toBe('matches');
});
