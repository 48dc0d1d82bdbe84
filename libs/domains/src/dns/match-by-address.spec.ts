/** Names that match by address: those that show only our addresses, and no CNAME anywhere. */
import { describe, expect, it } from '@jest/globals';
import type { DnsFindings, DnsLookup } from '@pets/contracts';
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
import { describeIssue } from '../issues/issue-catalog.js';
import { evaluateDns, type DnsVerdict } from './evaluate-dns.js';
import { otherProofs, withProofsOfOthers } from './match-by-address.js';
import { wildcardProbeOf } from './probes.js';

const flat: Asked[] = [
  [sub.name, 'CNAME', absent],
  [sub.name, 'A', found('198.51.100.7')],
];
const resolved = onServer('r1', [...flat, ...ours]);
const wildcard = { ...sub, name: '*.example.com' };
const cname = (...values: string[]): Asked => [sub.name, 'CNAME', found(...values)];
const withAlias = (lookups: DnsLookup[]) =>
  lookups.map((lookup) => (lookup.type === 'A' ? { ...lookup, alias: 'elsewhere.example' } : lookup));

describe('a name below an apex', () => {
  it.each<[string, DnsFindings['lookups'][]]>([
    ['at a resolver', [resolved]],
    ['at the zone', [resolved, ofZone('n1', flat)]],
    ['at the zone, of both families', [resolved, ofZone('n1', [...flat, [sub.name, 'AAAA', found('2001:DB8::7')]])]],
    [
      'at the zone, while a resolver has the CNAME to us',
      [resolved, onServer('r2', [cname(target)]), ofZone('n1', flat)],
    ],
    [
      'at the zone, while a resolver shows the CNAME to us in every answer',
      [resolved, withAlias(onServer('r2', [cname(target), ...flat.slice(1)])), ofZone('n1', flat)],
    ],
    ['at the zone, while a resolver has nothing yet', [resolved, onServer('r2', nothing), ofZone('n1', flat)]],
    [
      'at one server of the zone, of which another shows the CNAME to us',
      [resolved, ofZone('n1', flat), ofZone('n2', [cname(target)])],
    ],
    [
      'from a wildcard',
      [resolved, onServer('r1', [[wildcardProbeOf(sub.name, '0123456789abcdef'), 'A', found('198.51.100.7')]])],
    ],
  ])('matches by address with our addresses %s, and a note says so', (_case, lookups) => {
    const verdict = evaluateDns(findings(...lookups), sub);
    expect(verdict).toMatchObject({ kind: 'matches', by: 'address' });
    expect(verdict.kind === 'matches' && verdict.notes?.[0]).toMatchObject({ code: 'flattened', severity: 'info' });
  });

  it.each<[string, DnsFindings['lookups'][], string]>([
    [
      'a foreign address beside ours',
      [resolved, onServer('r1', [[sub.name, 'AAAA', found('2001:db8::dead')]])],
      'mismatch conflicting_aaaa',
    ],
    [
      'a foreign address alone',
      [onServer('r1', [[sub.name, 'A', found('203.0.113.1')], ...ours])],
      'mismatch conflicting_a',
    ],
    [
      'a foreign address, while ours are unknown',
      [
        onServer('r1', [
          [sub.name, 'A', found('203.0.113.1')],
          [target, 'A', failed],
        ]),
      ],
      'unknown resolver_failed',
    ],
    [
      'our address, while the other family is unknown',
      [onServer('r1', [...flat, [sub.name, 'AAAA', failed], ...ours])],
      'unknown resolver_failed',
    ],
    [
      'a CNAME to another target at the zone',
      [resolved, ofZone('n1', [cname('t1.cname.pets.example')])],
      'mismatch cname_mismatch',
    ],
    [
      'a CNAME to another target at one server of the zone',
      [resolved, ofZone('n1', flat), ofZone('n2', [cname('t1.cname.pets.example')])],
      'mismatch propagating cname_mismatch',
    ],
    [
      'a CNAME to another target at a resolver',
      [resolved, onServer('r2', [cname('t1.cname.pets.example')]), ofZone('n1', flat)],
      'mismatch propagating cname_mismatch',
    ],
    [
      'a CNAME at a resolver whose target is unknown',
      [resolved, onServer('r2', [cname('x.net'), ['x.net', 'CNAME', failed]]), ofZone('n1', flat)],
      'unknown resolver_failed',
    ],
    [
      'a CNAME that only the answer to another question shows',
      [resolved, withAlias(onServer('r2', [...flat, [sub.name, 'AAAA', absent]])), ofZone('n1', flat)],
      'mismatch propagating no_record',
    ],
    [
      'a CNAME with an address that is ours beside it',
      [onServer('r1', [cname('x.net'), ...flat.slice(1), ...ours])],
      'mismatch cname_mismatch',
    ],
    [
      'two CNAMEs, of which one is ours',
      [resolved, onServer('r2', [cname(target, 'x.net')]), ofZone('n1', flat)],
      'mismatch propagating cname_mismatch',
    ],
  ])('does not with %s', (_case, lookups, expected) => {
    expect(summary(evaluateDns(findings(...lookups), sub))).toBe(expected);
  });

  it('is unknown with the errors of the servers that show another CNAME', () => {
    const lookups = [resolved, onServer('r2', [cname('x.net'), ['x.net', 'CNAME', failed]]), ofZone('n1', flat)];
    expect(evaluateDns(findings(...lookups), sub)).toMatchObject({
      issues: [{ evidence: { errors: ['r2: ESERVFAIL'] } }],
    });
  });

  it('says whether some of our addresses are among others', () => {
    const foreign: Asked[] = [[sub.name, 'A', found('203.0.113.1')], ...ours];
    const mixed: Asked[] = [[sub.name, 'A', found('198.51.100.7', '203.0.113.1')], ...ours];
    expect(evaluateDns(findings(onServer('r1', mixed)), sub)).toMatchObject({
      showsOurAddresses: true,
      conflicts: [{ value: '203.0.113.1', action: 'remove' }],
    });
    expect(evaluateDns(findings(onServer('r1', foreign)), sub)).not.toHaveProperty('showsOurAddresses');
    const atSome = findings(onServer('r1', mixed), onServer('r2', [[sub.name, 'A', found('203.0.113.1')]]));
    expect(evaluateDns(atSome, sub)).toHaveProperty('showsOurAddresses', true);
  });

  it('needs the addresses of the target, which a worker of the version before does not look up', () => {
    expect(summary(evaluateDns(findings(onServer('r1', flat)), sub))).toBe('mismatch conflicting_a');
  });
});

describe('an address, while the target could be looked up for one type only', () => {
  const a: Asked = [target, 'A', found('198.51.100.7')];
  const aaaa: Asked = [target, 'AAAA', found('2001:db8::7')];
  const noA: Asked = [target, 'A', failed];
  const noAaaa: Asked = [target, 'AAAA', failed];
  const shows = (name: string, type: 'A' | 'AAAA', value: string): Asked => [name, type, found(value)];
  const both = (name: string) => [shows(name, 'A', '198.51.100.7'), shows(name, 'AAAA', '2001:db8::dead')];

  it.each<[string, typeof apex, Asked[], string]>([
    ['of the failed type', sub, [shows(sub.name, 'A', '198.51.100.7'), noA, aaaa], 'unknown resolver_failed'],
    ['of the failed type, AAAA', sub, [shows(sub.name, 'AAAA', '2001:db8::7'), a, noAaaa], 'unknown resolver_failed'],
    [
      'of the failed type, at an apex',
      apex,
      [shows(apex.name, 'A', '198.51.100.7'), noA, aaaa],
      'unknown resolver_failed',
    ],
    [
      'of the failed type, beside one that is listed',
      { ...sub, addresses: ['198.51.100.8'] },
      [cname(target), [sub.name, 'A', found('198.51.100.8', '198.51.100.7')], noA],
      'unknown resolver_failed',
    ],
    ['of the other type, foreign', sub, [shows(sub.name, 'A', '203.0.113.1'), a, noAaaa], 'mismatch conflicting_a'],
    ['of the other type, ours', sub, [shows(sub.name, 'A', '198.51.100.7'), a, noAaaa], 'matches'],
    ['of the failed type, beside a foreign one', sub, [...both(sub.name), noA, aaaa], 'mismatch conflicting_aaaa'],
    [
      'of the failed type, beside a foreign one, at an apex',
      apex,
      [...both(apex.name), noA, aaaa],
      'mismatch apex_not_pointing_here',
    ],
    [
      'of the failed type, beside the CNAME',
      sub,
      [cname(target), shows(sub.name, 'A', '198.51.100.7'), noA, aaaa],
      'unknown resolver_failed',
    ],
    ['beside the CNAME, foreign', sub, [cname(target), ...both(sub.name), noA, aaaa], 'mismatch conflicting_records'],
    [
      'of the failed type, beside another CNAME',
      sub,
      [cname('x.net'), shows(sub.name, 'A', '198.51.100.7'), noA, aaaa],
      'mismatch cname_mismatch',
    ],
  ])('%s', (_case, expected, asked, verdict) => {
    const result = evaluateDns(findings(onServer('r1', asked)), expected);
    expect(summary(result)).toBe(verdict);
    // No owner is asked to remove an address that may be ours.
    expect(JSON.stringify(result)).not.toContain('"value":"198.51.100.7"');
    expect(JSON.stringify(result)).not.toContain('A 198.51.100.7');
  });

  it('is ours where it is listed', () => {
    const listed = { ...sub, addresses: ['198.51.100.7'] };
    const asked = [shows(sub.name, 'A', '198.51.100.7'), noA, aaaa];
    expect(summary(evaluateDns(findings(onServer('r1', asked)), listed))).toBe('matches');
  });

  it('is foreign where another resolver answers that the target has none of its type', () => {
    const own = onServer('r1', [shows(sub.name, 'AAAA', '2001:db8::dead'), a, [target, 'AAAA', absent]]);
    const verdict = evaluateDns(findings(own, onServer('r2', [noA, noAaaa])), sub);
    expect(summary(verdict)).toBe('mismatch conflicting_aaaa');
  });
});

it('is no note at the apex of a zone, where only an ALIAS is possible', () => {
  const asked: Asked[] = [[apex.name, 'A', found('198.51.100.7')], ...ours];
  expect(evaluateDns(findings(onServer('r1', asked)), apex)).toEqual({ kind: 'matches', by: 'address' });
});

it('applies to a wildcard as well', () => {
  const asked: Asked[] = [[wildcard.name, 'A', found('198.51.100.7')], ...ours];
  expect(evaluateDns(findings(onServer('r1', asked)), wildcard)).toMatchObject({ kind: 'matches', by: 'address' });
});

const name = 'example.com';
const host = '_platform-challenge.example.com';
const seen = (...asked: Asked[]): DnsFindings => findings(onServer('r1', asked));

describe('the values beside the own token', () => {
  const overCname = findings(onServer('r1', [[host, 'TXT', found('t2')]]).map((one) => ({ ...one, alias: 'x.net' })));
  it.each<[string, DnsFindings, string[]]>([
    ['are those at the host of the proof', seen([host, 'TXT', found('t2', 't3')]), ['t2', 't3']],
    ['are without the own token', seen([host, 'TXT', found('t1', 't2')]), ['t2']],
    [
      'are each there once, of all servers',
      findings(onServer('r1', [[host, 'TXT', found('t2')]]), onServer('r2', [[host, 'TXT', found('t2', 't3')]])),
      ['t2', 't3'],
    ],
    ['are none of another name', seen([name, 'TXT', found('v=spf1 -all')]), []],
    ['are none of another type', seen([host, 'CNAME', found('x.net')]), []],
    ['are none that a CNAME led to', overCname, []],
    ['are none without a record', seen([host, 'TXT', absent]), []],
  ])('%s', (_name, lookups, values) => expect(otherProofs(lookups, host, 't1')).toEqual(values));
});

describe('the note about proofs of others', () => {
  const flattened = describeIssue('flattened', { name, expected: 't0k.cname.pets.example' });
  const note = describeIssue('ownership_txt_of_others', { name, host, seen: ['t2'] });
  const noted = (dns: DnsVerdict, tokens = ['t2']) => withProofsOfOthers(dns, { name, host }, tokens);

  it('is added to a match by address', () => {
    expect(noted({ kind: 'matches', by: 'address' })).toEqual({ kind: 'matches', by: 'address', notes: [note] });
    expect(noted({ kind: 'matches', by: 'address', notes: [flattened] })).toEqual({
      kind: 'matches',
      by: 'address',
      notes: [flattened, note],
    });
  });

  it.each<[string, DnsVerdict, string[]]>([
    ['a match by the target, which a TXT record cannot take', { kind: 'matches', by: 'target' }, ['t2']],
    ['a match without such proofs', { kind: 'matches', by: 'address' }, []],
    ['a mismatch', { kind: 'mismatch', issues: [], conflicts: [] }, ['t2']],
    ['an unknown result', { kind: 'unknown', issues: [] }, ['t2']],
  ])('is not added to %s', (_name, dns, tokens) => expect(noted(dns, tokens)).toEqual(dns));
});
