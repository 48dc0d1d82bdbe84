import { describe, expect, it } from '@jest/globals';
import {
  absent,
  apex,
  failed,
  findings,
  found,
  ofZone,
  onServer,
  ours,
  sub,
  summary,
  target,
  type Asked,
} from '../../test/dns-findings.js';
import { evaluateDns } from './evaluate-dns.js';

describe('evaluateDns of records beside a CNAME', () => {
  const right: Asked = [sub.name, 'CNAME', found(target)];
  it.each<[string, Asked[], string]>([
    ['an A record', [right, [sub.name, 'A', found('203.0.113.1')], ...ours], 'mismatch conflicting_records'],
    ['an AAAA record', [right, [sub.name, 'AAAA', found('2001:db8::1')], ...ours], 'mismatch conflicting_records'],
    [
      'one where our target has no address',
      [right, [sub.name, 'A', found('203.0.113.1')]],
      'mismatch conflicting_records',
    ],
    ['our own address, put there by a provider', [right, [sub.name, 'A', found('198.51.100.7')], ...ours], 'matches'],
    ['another spelling of ours', [right, [sub.name, 'AAAA', found('2001:DB8:0::7')], ...ours], 'matches'],
    ['a proxy', [right, [sub.name, 'A', found('104.16.1.1')], ...ours], 'mismatch proxied_by_cdn'],
    [
      'a proxy and another address',
      [right, [sub.name, 'A', found('104.16.1.1', '203.0.113.1')], ...ours],
      'mismatch proxied_by_cdn conflicting_records',
    ],
    ['a lookup that failed', [right, [sub.name, 'A', failed], ...ours], 'matches'],
    [
      'an address while ours could not be looked up',
      [right, [sub.name, 'A', found('203.0.113.1')], [target, 'A', failed]],
      'unknown resolver_failed',
    ],
    [
      'an address while ours could be looked up at one resolver, which has none',
      [right, [sub.name, 'A', found('203.0.113.1')], [target, 'A', failed], [target, 'A', absent]],
      'unknown resolver_failed',
    ],
    [
      'an address, where the CNAME is wrong as well',
      [
        [sub.name, 'CNAME', found('other.example.net')],
        ['other.example.net', 'CNAME', absent],
        [sub.name, 'A', found('203.0.113.1')],
      ],
      'mismatch cname_mismatch conflicting_records',
    ],
  ])('beside the right CNAME: %s', (_name, asked, expected) => {
    expect(summary(evaluateDns(findings(onServer('1', asked)), sub))).toBe(expected);
  });

  it('names the proxy, and its addresses', () => {
    const asked: Asked[] = [right, [sub.name, 'A', found('104.16.1.1', '203.0.113.1')], ...ours];
    expect(evaluateDns(findings(onServer('1', asked)), sub)).toMatchObject({
      issues: [
        { evidence: { name: sub.name, expected: target, servers: ['1'], seen: ['104.16.1.1'], proxy: 'Cloudflare' } },
        { evidence: { seen: ['A 203.0.113.1'] } },
      ],
    });
  });

  it('considers only the zone’s own servers for records beside a CNAME, if they answer', () => {
    const stale: Asked[] = [right, [sub.name, 'A', found('203.0.113.1')], ...ours];
    const now: Asked[] = [right, [sub.name, 'A', absent], [sub.name, 'AAAA', absent]];
    expect(evaluateDns(findings(onServer('1', stale), ofZone('ns', now)), sub)).toMatchObject({
      kind: 'matches',
      notes: [{ code: 'propagating' }],
    });
    expect(summary(evaluateDns(findings(onServer('1', [right]), onServer('1', ours), ofZone('ns', stale)), sub))).toBe(
      'mismatch conflicting_records',
    );
  });

  it('ignores an address of the CNAME’s target', () => {
    const led = onServer('1', [[sub.name, 'A', found('203.0.113.1')]]).map((lookup) => ({ ...lookup, alias: target }));
    expect(summary(evaluateDns(findings(onServer('1', [right]), led), sub))).toBe('matches');
  });

  it('states the records to remove beside the CNAME, which stays', () => {
    const asked: Asked[] = [
      right,
      [sub.name, 'A', found('203.0.113.1')],
      [sub.name, 'AAAA', found('2001:db8::1')],
      ...ours,
    ];
    const [lookups] = [ofZone('ns', asked)];
    expect(evaluateDns(findings(lookups), sub)).toMatchObject({
      issues: [
        {
          remediation: `Remove these records: A 203.0.113.1, AAAA 2001:db8::1. Keep the CNAME to ${target}.`,
          evidence: { servers: ['ns'] },
        },
      ],
      conflicts: [
        { type: 'A', name: sub.name, value: '203.0.113.1', action: 'remove' },
        { type: 'AAAA', name: sub.name, value: '2001:db8::1', action: 'remove' },
      ],
    });
  });
});

describe('evaluateDns of an apex with a CNAME', () => {
  const right: Asked = [apex.name, 'CNAME', found(target)];
  const warning = { code: 'apex_cname_to_us', severity: 'warning', evidence: { name: apex.name, expected: target } };
  it.each<[string, Asked[]]>([
    ['to the target', [right]],
    [
      'that reaches the target over another name',
      [
        [apex.name, 'CNAME', found('hop.example.net')],
        ['hop.example.net', 'CNAME', found(target)],
      ],
    ],
    ['and our addresses beside it', [right, [apex.name, 'A', found('198.51.100.7')], ...ours]],
  ])('%s warns, and matches by the target', (_name, asked) => {
    expect(evaluateDns(findings(onServer('1', asked)), apex)).toMatchObject({
      kind: 'matches',
      by: 'target',
      notes: [warning],
    });
  });

  it('names the servers that show a CNAME, where others flatten', () => {
    const flattened: Asked[] = [[apex.name, 'CNAME', absent], [apex.name, 'A', found('198.51.100.7')], ...ours];
    expect(evaluateDns(findings(onServer('1', [right]), onServer('2', flattened)), apex)).toMatchObject({
      kind: 'matches',
      by: 'address',
      notes: [{ ...warning, evidence: { servers: ['1'] } }],
    });
  });

  it.each<[string, Asked[], string]>([
    ['to another target', [[apex.name, 'CNAME', found('other.example.net')]], 'mismatch apex_cname'],
    [
      'to the target and a foreign address',
      [right, [apex.name, 'A', found('203.0.113.1')], ...ours],
      'mismatch conflicting_records',
    ],
  ])('%s is an error', (_name, asked, expected) => {
    expect(summary(evaluateDns(findings(onServer('1', asked)), apex))).toBe(expected);
  });

  it('does not apply to a subdomain', () => {
    const asked: Asked[] = [[sub.name, 'CNAME', found(target)]];
    expect(evaluateDns(findings(onServer('1', asked)), sub)).toEqual({ kind: 'matches', by: 'target' });
  });
});
