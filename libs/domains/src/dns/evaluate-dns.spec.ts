import { describe, expect, it } from '@jest/globals';
import type { DnsFindings } from '@pets/contracts';
import {
  absent,
  apex,
  failed,
  findings,
  found,
  nothing,
  ofZone,
  onServer,
  ours,
  sub,
  summary,
  target,
  type Asked,
} from '../../test/dns-findings.js';
import { evaluateDns } from './evaluate-dns.js';

describe('evaluateDns of a subdomain', () => {
  it.each<[string, Asked[], string]>([
    ['the exact target', [[sub.name, 'CNAME', found(target)]], 'matches'],
    [
      'the target in other case and with a final dot',
      [[sub.name, 'CNAME', found('T0K.CNAME.pets.example.')]],
      'matches',
    ],
    [
      'a chain that reaches the target',
      [
        [sub.name, 'CNAME', found('hop.example.net')],
        ['hop.example.net', 'CNAME', found(target)],
      ],
      'matches',
    ],
    [
      'another target',
      [
        [sub.name, 'CNAME', found('other.example.net')],
        ['other.example.net', 'CNAME', absent],
      ],
      'mismatch cname_mismatch',
    ],
    [
      'a target that only begins like ours',
      [[sub.name, 'CNAME', found(`${target}.evil.net`)]],
      'mismatch cname_mismatch',
    ],
    [
      'a chain that loops',
      [
        [sub.name, 'CNAME', found('x.net')],
        ['x.net', 'CNAME', found('x.net')],
      ],
      'mismatch cname_mismatch',
    ],
    ['no record', nothing, 'mismatch no_record'],
    [
      'A records',
      [
        [sub.name, 'CNAME', absent],
        [sub.name, 'A', found('203.0.113.1', '203.0.113.2')],
      ],
      'mismatch conflicting_a',
    ],
    [
      'A and AAAA records',
      [
        [sub.name, 'A', found('203.0.113.1')],
        [sub.name, 'AAAA', found('2001:db8::1')],
      ],
      'mismatch conflicting_a conflicting_aaaa',
    ],
    ['a failed CNAME lookup', [[sub.name, 'CNAME', failed]], 'unknown resolver_failed'],
    [
      'a failed lookup further down the chain',
      [
        [sub.name, 'CNAME', found('x.net')],
        ['x.net', 'CNAME', failed],
      ],
      'unknown resolver_failed',
    ],
    [
      'a foreign address, the other family failing',
      [[sub.name, 'A', found('203.0.113.1')], [sub.name, 'AAAA', failed], ...ours],
      'mismatch conflicting_a',
    ],
  ])('%s', (_name, asked, expected) => {
    expect(summary(evaluateDns(findings(onServer('1', asked)), sub))).toBe(expected);
  });

  it.each<[string, Asked[], string]>([
    ['the record of its wildcard', [[sub.name, 'CNAME', found('w0k.cname.pets.example')]], 'matches'],
    ['its own record', [[sub.name, 'CNAME', found(target)]], 'matches'],
    ['the record of another organization', [[sub.name, 'CNAME', found('x0k.cname.pets.example')]], 'mismatch'],
    ['no record', nothing, 'mismatch'],
    ['no answer', [[sub.name, 'CNAME', failed]], 'unknown'],
  ])('that a wildcard of the organization covers, with %s', (_name, asked, kind) => {
    const seen = findings(onServer('1', asked));
    const verdict = evaluateDns(seen, { ...sub, wildcardTargetHost: 'w0k.cname.pets.example' });
    expect(verdict.kind).toBe(kind);
    if (kind !== 'matches') expect(verdict).toEqual(evaluateDns(seen, sub));
  });

  it('that a wildcard of the organization covers is to have its own record', () => {
    const seen = findings(
      onServer('1', [[sub.name, 'CNAME', absent], [sub.name, 'A', found('198.51.100.7')], ...ours]),
    );
    expect(evaluateDns(seen, { ...sub, wildcardTargetHost: 'w0k.cname.pets.example' })).toEqual(evaluateDns(seen, sub));
  });

  it('names a server once', () => {
    const asked: Asked[] = [
      [sub.name, 'A', found('203.0.113.1')],
      [sub.name, 'AAAA', found('2001:db8::1')],
    ];
    expect(evaluateDns(findings(onServer('1', asked)), sub)).toMatchObject({
      issues: [{ evidence: { servers: ['1'] } }, {}],
    });
  });

  it('lists each conflicting record to remove', () => {
    const asked: Asked[] = [[sub.name, 'A', found('203.0.113.1', '203.0.113.2')]];
    expect(evaluateDns(findings(onServer('1', asked)), sub)).toMatchObject({
      conflicts: [
        { type: 'A', value: '203.0.113.1', action: 'remove' },
        { type: 'A', value: '203.0.113.2', action: 'remove' },
      ],
    });
  });

  it('names what was seen and what was expected', () => {
    const asked: Asked[] = [[sub.name, 'CNAME', found('other.example.net')]];
    const verdict = evaluateDns(findings(onServer('1', asked)), sub);
    expect(verdict).toMatchObject({ issues: [{ evidence: { seen: 'other.example.net', expected: target } }] });
  });
});

describe('evaluateDns of an apex', () => {
  it.each<[string, Asked[], string]>([
    ['addresses of our target', [[apex.name, 'A', found('198.51.100.7')], ...ours], 'matches'],
    [
      'addresses of both families',
      [[apex.name, 'A', found('198.51.100.7')], [apex.name, 'AAAA', found('2001:DB8::7')], ...ours],
      'matches',
    ],
    ['a foreign address', [[apex.name, 'A', found('203.0.113.1')], ...ours], 'mismatch apex_not_pointing_here'],
    [
      'a foreign address beside ours',
      [[apex.name, 'A', found('198.51.100.7', '203.0.113.1')], ...ours],
      'mismatch apex_not_pointing_here',
    ],
    [
      'a stale AAAA beside our A',
      [[apex.name, 'A', found('198.51.100.7')], [apex.name, 'AAAA', found('2001:db8::dead')], ...ours],
      'mismatch apex_not_pointing_here',
    ],
    ['nothing', [[apex.name, 'A', absent], ...ours], 'mismatch no_record'],
    ['a CNAME to something else', [[apex.name, 'CNAME', found('other.example.net')], ...ours], 'mismatch apex_cname'],
    [
      'a CNAME to the target, where a provider flattens late',
      [[apex.name, 'CNAME', found(target)], ...ours],
      'matches',
    ],
    ['a failed lookup', [[apex.name, 'A', failed], ...ours], 'unknown resolver_failed'],
    [
      'our address, the other family failing',
      [[apex.name, 'A', found('198.51.100.7')], [apex.name, 'AAAA', failed], ...ours],
      'unknown resolver_failed',
    ],
    [
      'a foreign address, the other family failing',
      [[apex.name, 'A', found('203.0.113.1')], [apex.name, 'AAAA', failed], ...ours],
      'unknown resolver_failed',
    ],
    [
      'our own target not resolving',
      [
        [apex.name, 'A', found('198.51.100.7')],
        [target, 'A', absent],
      ],
      'unknown resolver_failed',
    ],
  ])('%s', (_name, asked, expected) => {
    expect(summary(evaluateDns(findings(onServer('1', asked)), apex))).toBe(expected);
  });
});

describe('evaluateDns of several servers', () => {
  const right: Asked[] = [[sub.name, 'CNAME', found(target)]];
  const other = 'other.example.net';
  const broken: Asked[] = [[sub.name, 'CNAME', failed]];

  it.each<[string, Asked[], Asked[], string]>([
    ['both right', right, right, 'matches'],
    ['one still stale is propagating, not verified', right, nothing, 'mismatch propagating no_record'],
    ['one failed does not count', right, broken, 'matches'],
    ['one says no, one failed', nothing, broken, 'mismatch no_record'],
    ['both failed: unknown', broken, broken, 'unknown resolver_failed'],
  ])('%s', (_name, first, second, expected) => {
    expect(summary(evaluateDns(findings(onServer('1', first), onServer('2', second)), sub))).toBe(expected);
  });

  const known: Asked[] = [[apex.name, 'A', found('198.51.100.7')]];
  it.each<[string, DnsFindings, typeof sub, string[]]>([
    ['no server was queried', findings(), sub, ['no name server was queried']],
    ['all failed', findings(onServer('1', broken), onServer('2', broken)), sub, ['1: ESERVFAIL', '2: ESERVFAIL']],
    [
      'our target has no address',
      findings(onServer('1', [...known, [target, 'A', absent]])),
      apex,
      [`${target} has no address`],
    ],
    [
      'the lookup of our target failed',
      findings(onServer('1', [...known, [target, 'A', failed]])),
      apex,
      ['1: ESERVFAIL'],
    ],
  ])('is unknown: %s', (_name, given, expected, errors) => {
    expect(evaluateDns(given, expected)).toMatchObject({ kind: 'unknown', issues: [{ evidence: { errors } }] });
  });

  it('considers only servers that were queried for the name', () => {
    const beside: Asked[] = [[sub.name, 'TXT', absent], [other, 'A', absent], ...ours];
    const verdict = evaluateDns(
      findings(onServer('1', [[sub.name, 'A', found('203.0.113.1')]]), onServer('2', beside)),
      sub,
    );
    expect(verdict).toMatchObject({ issues: [{ code: 'conflicting_a', evidence: { servers: ['1'] } }] });
  });

  it('treats a failed lookup behind an alias as failed', () => {
    const lookups = onServer('1', [[sub.name, 'A', failed]]).map((lookup) => ({ ...lookup, alias: other }));
    expect(summary(evaluateDns(findings(lookups), sub))).toBe('unknown resolver_failed');
  });
});

describe('the basis of a match', () => {
  const byTarget: Asked[] = [[apex.name, 'CNAME', found(target)]];
  const byAddress: Asked[] = [
    [apex.name, 'CNAME', absent],
    [apex.name, 'A', found('198.51.100.7')],
  ];

  it.each<[string, Parameters<typeof findings>, string]>([
    ['is the target where all show it', [onServer('r1', byTarget), onServer('r1', ours)], 'target'],
    ['is an address where there is no CNAME', [onServer('r1', [...byAddress, ...ours])], 'address'],
    [
      'is an address where one server shows only addresses',
      [onServer('r1', byTarget), onServer('r2', [...byAddress, ...ours])],
      'address',
    ],
    [
      'is that of the zone, for any cached answer of a resolver',
      [onServer('r1', [...byTarget, ...ours]), ofZone('ns1', byAddress)],
      'address',
    ],
  ])('%s', (_case, lookups, by) => {
    expect(evaluateDns(findings(...lookups), apex)).toMatchObject({ kind: 'matches', by });
  });
});
