import { describe, expect, it } from '@jest/globals';
import type { DnsQuestionType, IssueCode } from '@pets/contracts';
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
import { describeIssue } from '../issues/issue-catalog.js';
import { evaluateDns } from './evaluate-dns.js';
import { doubledNameOf, wildcardProbeOf } from './probes.js';

describe('evaluateDns explains', () => {
  const first = (asked: Asked[], expected = sub) => {
    const verdict = evaluateDns(findings(onServer('1', asked)), expected);
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
    const asked: Asked[] = [[apex.name, 'A', found('104.16.132.229')], ...ours];
    expect(first(asked, apex)).toMatchObject({ code: 'proxied_by_cdn', conflicts: [] });
    const verdict = evaluateDns(findings(onServer('1', asked)), apex);
    expect(verdict.kind === 'mismatch' && verdict.issues).toHaveLength(1);
  });

  it('a proxy beside a record of another kind, which has to go', () => {
    const verdict = evaluateDns(
      findings(onServer('1', [[sub.name, 'A', found('104.16.132.229', '203.0.113.1')]])),
      sub,
    );
    expect(summary(verdict)).toBe('mismatch proxied_by_cdn conflicting_a');
    expect(verdict).toMatchObject({ conflicts: [{ value: '203.0.113.1', action: 'remove' }] });
  });

  it('a near miss, with how far off it is', () => {
    expect(first([[sub.name, 'CNAME', found('t0.cname.pets.example')]])).toMatchObject({
      code: 'cname_mismatch',
      evidence: { hint: expect.stringContaining('truncated') },
    });
    expect(first([[sub.name, 'CNAME', found('t0l.cname.pets.example')]])).toMatchObject({ evidence: { distance: 1 } });
  });

  it('a near miss at a later hop', () => {
    const asked: Asked[] = [
      [sub.name, 'CNAME', found('x.net')],
      ['x.net', 'CNAME', found(`${target}.example.com`)],
    ];
    expect(first(asked)).toMatchObject({ evidence: { hint: expect.stringContaining('appended the zone') } });
  });

  it.each<[string, Asked[]]>([
    ['nothing', nothing],
    ['a CNAME', [[sub.name, 'CNAME', found('x.net')]]],
  ])('which address records an apex may have, in the place of %s', (_case, asked) => {
    const addresses = ['198.51.100.7', '2001:db8::7'];
    const of = (expected: typeof sub) =>
      first(asked, { ...expected, name: sub.name, addresses, retiringAddresses: ['2001:db8::7'] });
    expect(of(apex)).toHaveProperty('evidence.addressRecords', ['A 198.51.100.7']);
    expect(of(sub)).not.toHaveProperty('evidence.addressRecords');
  });

  it('as many conflicting records as can be shown', () => {
    const addresses = Array.from({ length: 16 }, (_value, i) => `203.0.113.${i}`);
    const long = { ...sub, name: `${'a'.repeat(60)}.${'b'.repeat(60)}.example.com` };
    const { conflicts = [] } = first([[long.name, 'A', found(...addresses)]], long) as { conflicts?: unknown[] };
    expect(conflicts).toHaveLength(10);
    expect(conflicts[9]).toEqual({ type: 'A', name: long.name, value: '203.0.113.9', action: 'remove' });
  });

  it('a record that was made with the zone twice', () => {
    const doubled: Asked = [doubledNameOf(sub.name, 'example.com'), 'CNAME', found(target)];
    expect(first([...nothing, doubled])).toMatchObject({
      code: 'entered_with_zone',
      severity: 'error',
      evidence: { seen: 'docs.example.com.example.com', entered: 'docs' },
      remediation: `At your DNS provider, change the name of that record to docs, without the zone. Its value is ${target}.`,
    });
    const atApex: Asked = [doubledNameOf(apex.name, apex.name), 'A', found('198.51.100.7')];
    expect(first([[apex.name, 'A', absent], atApex], apex)).toMatchObject({ evidence: { entered: '@' } });
  });

  it.each<[string, string[]]>([
    ['itself', [sub.name]],
    ['a hop and back', ['x.net', sub.name]],
    ['hops that repeat', ['x.net', 'y.net', 'x.net']],
  ])('CNAMEs that lead to %s as a loop', (_case, hops) => {
    const asked = [sub.name, ...hops.slice(0, -1)].map((from, i): Asked => [from, 'CNAME', found(hops[i] ?? '')]);
    expect(first(asked)).toMatchObject({ code: 'cname_mismatch', message: expect.stringContaining('form a loop') });
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

  it('a wildcard by any of its records', () => {
    const sibling: Asked = [wildcardProbeOf(sub.name, '0123456789abcdef'), 'A', found('203.0.113.1', '192.0.2.99')];
    expect(first([[sub.name, 'A', found('203.0.113.1')], sibling])).toMatchObject({
      evidence: { hint: expect.stringContaining('The wildcard record *.example.com answers for this name') },
    });
    const proof: Asked = [wildcardProbeOf(sub.name, '0123456789abcdef'), 'TXT', found('203.0.113.1')];
    expect(first([[sub.name, 'A', found('203.0.113.1')], proof])).not.toHaveProperty('evidence.wildcard');
    const silent: Asked = [wildcardProbeOf(sub.name, '0123456789abcdef'), 'A', absent];
    expect(first([[sub.name, 'A', found('203.0.113.1')], silent])).not.toHaveProperty('evidence.wildcard');
  });

  it('no record, and nothing more, where nothing more is known', () => {
    const doubled: Asked = [doubledNameOf(sub.name, 'example.com'), 'CNAME', absent];
    expect(first([...nothing, doubled])).toEqual({
      ...describeIssue('no_record', { name: sub.name, expected: target, servers: ['1'] }),
      conflicts: [],
    });
  });

  it.each([
    [sub, 'cname_mismatch', 'change'],
    [apex, 'apex_cname', 'remove'],
  ])('a chain that leads elsewhere, hop by hop, and the record to touch: %o', (expected, code, action) => {
    const asked: Asked[] = [
      [expected.name, 'CNAME', found('x.net')],
      ['x.net', 'CNAME', found('y.net')],
      ['y.net', 'CNAME', absent],
    ];
    expect(first(asked, expected)).toEqual({
      ...describeIssue(code as IssueCode, {
        name: expected.name,
        seen: 'x.net → y.net',
        expected: target,
        servers: ['1'],
      }),
      conflicts: [{ type: 'CNAME', name: expected.name, value: 'x.net', action }],
    });
  });

  it('only those addresses of an apex that are not ours', () => {
    const asked: Asked[] = [[apex.name, 'A', found('198.51.100.7', '203.0.113.1')], ...ours];
    expect(first(asked, apex)).toMatchObject({
      conflicts: [{ value: '203.0.113.1' }],
      evidence: { seen: ['203.0.113.1'], expected: ['198.51.100.7', '2001:db8::7'] },
    });
  });

  it('which servers showed it', () => {
    const verdict = evaluateDns(findings(onServer('1', nothing), onServer('2', nothing)), sub);
    expect(verdict).toMatchObject({ issues: [{ evidence: { servers: ['1', '2'] } }] });
  });
});

it('takes no address that a CNAME led to for a conflict', () => {
  const lookups = onServer('1', [
    [sub.name, 'CNAME', absent],
    [sub.name, 'A', found('203.0.113.1')],
  ]).map((lookup) => (lookup.type === 'A' ? { ...lookup, alias: 'made.meanwhile.example' } : lookup));
  expect(summary(evaluateDns(findings(lookups), sub))).toBe('mismatch no_record');
});

it('compares IPv6 addresses by what they are, not by how they are spelled', () => {
  const asked: Asked[] = [[apex.name, 'AAAA', found('2001:0DB8:0:0::7')], ...ours];
  expect(summary(evaluateDns(findings(onServer('1', asked)), apex))).toBe('matches');
});
