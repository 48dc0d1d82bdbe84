import { describe, expect, it } from '@jest/globals';
import type { DnsAnswer, DnsFindings } from '@pets/contracts';
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
import { doubledNameOf, wildcardProbeOf } from './probes.js';

describe('evaluateDns with the zone’s own servers', () => {
  const right: Asked[] = [[sub.name, 'CNAME', found(target)]];
  const old: Asked[] = [[sub.name, 'CNAME', found('old.example.net')]];
  const broken: Asked[] = [[sub.name, 'CNAME', failed]];
  const viaHop: Asked[] = [[sub.name, 'CNAME', found('hop.example.net')]];
  const hop = (answer: DnsAnswer): Asked[] => [['hop.example.net', 'CNAME', answer]];

  it.each<[string, DnsFindings['lookups'][], string]>([
    ['theirs counts, though the resolver is stale', [onServer('r', old), ofZone('n', right)], 'matches'],
    ['theirs counts, though the resolver has nothing', [onServer('r', nothing), ofZone('n', right)], 'matches'],
    ['theirs counts, though the resolver fails', [onServer('r', broken), ofZone('n', right)], 'matches'],
    ['theirs counts against the name too', [onServer('r', right), ofZone('n', nothing)], 'mismatch no_record'],
    ['one that failed does not count', [onServer('r', old), ofZone('n1', broken), ofZone('n2', right)], 'matches'],
    ['it counts of a server that is a resolver as well', [onServer('n', old), ofZone('n', right)], 'matches'],
    [
      'all that answer must match',
      [onServer('r', right), ofZone('n1', nothing), ofZone('n2', right)],
      'mismatch propagating no_record',
    ],
    ['when all of them failed, the resolvers decide', [onServer('r', right), ofZone('n', broken)], 'matches'],
    [
      'when all of them failed, the resolvers decide against the name too',
      [onServer('r', old), ofZone('n', broken)],
      'mismatch cname_mismatch',
    ],
    [
      'a chain continues with the servers of the next zone',
      [onServer('r', nothing), ofZone('n', viaHop), ofZone('m', hop(found(target)))],
      'matches',
    ],
    [
      'every server of the next zone counts',
      [ofZone('n', viaHop), ofZone('m1', hop(found(target))), ofZone('m2', hop(found('x.net')))],
      'mismatch cname_mismatch',
    ],
    [
      'a chain continues with the resolvers where the next zone cannot be asked',
      [onServer('r', [...nothing, ...hop(found(target))]), ofZone('n', viaHop), ofZone('m', hop(failed))],
      'matches',
    ],
  ])('%s', (_name, lookups, expected) => {
    expect(summary(evaluateDns(findings(...lookups), sub))).toBe(expected);
  });

  it('notes which resolvers still have the old records, and nothing where none has', () => {
    const zone = ofZone('n', right);
    expect(evaluateDns(findings(onServer('r1', right), zone), sub)).toEqual({ kind: 'matches', by: 'target' });
    expect(evaluateDns(findings(onServer('r1', right), onServer('r2', old), zone), sub)).toMatchObject({
      notes: [{ code: 'propagating', evidence: { stale: ['r2'] } }],
    });
  });

  it('takes the addresses of an ALIAS from them, and those of our target from the resolvers', () => {
    const flattened: Asked[] = [
      [apex.name, 'CNAME', absent],
      [apex.name, 'A', found('198.51.100.7')],
    ];
    const stale: Asked[] = [[apex.name, 'CNAME', absent], [apex.name, 'A', found('203.0.113.1')], ...ours];
    expect(summary(evaluateDns(findings(onServer('r', stale), ofZone('n', flattened)), apex))).toBe('matches');
  });
});

describe('the expected time of propagation', () => {
  const delegation = { host: '_acme-challenge.docs.example.com', target: 'd0k.acme.pets.example' };
  const until = (...lookups: DnsFindings['lookups'][]) => {
    const verdict = evaluateDns(findings(...lookups), { ...sub, delegation });
    return (verdict.kind === 'matches' ? verdict.notes : verdict.issues)?.[0]?.evidence.expectedBy;
  };
  const gone: DnsAnswer = { kind: 'absent', ttl: 900, zone: 'example.com' };
  const long: DnsAnswer = { kind: 'absent', ttl: 9_000, zone: 'example.com' };
  const timeless: DnsAnswer = { kind: 'found', records: [{ value: 'old.example.net', ttl: null }] };
  const right = ofZone('n', [[sub.name, 'CNAME', found(target)]]);

  it('is when the negative answer expires in the last cache', () => {
    expect(until(onServer('r', [[sub.name, 'CNAME', gone]]))).toBe('2026-01-01T00:15:00.000Z');
    expect(until(onServer('r', [[sub.name, 'CNAME', gone]]), right)).toBe('2026-01-01T00:15:00.000Z');
    expect(until(onServer('r', [[sub.name, 'CNAME', gone], ...ours]))).toBe('2026-01-01T00:15:00.000Z');
  });

  it('is when the old record expires in the last cache, counted from its answer', () => {
    const stale = onServer('r', [[sub.name, 'CNAME', found('old.example.net')]]);
    const later = stale.map((lookup) => ({ ...lookup, at: '2026-01-01T00:00:05Z' }));
    expect(until(later, right)).toBe('2026-01-01T00:01:05.000Z');
  });

  it.each<[string, DnsFindings['lookups']]>([
    ['another server with an earlier expiry', onServer('s', [[sub.name, 'CNAME', found('old.example.net')]])],
    ['a record without a TTL', onServer('s', [[sub.name, 'CNAME', timeless]])],
    ['an absent record without a TTL', onServer('s', [[sub.name, 'CNAME', absent]])],
    ['a proof of ownership', onServer('r', [[sub.name, 'TXT', long]])],
    ['our own target', onServer('r', [[target, 'A', long]])],
    ['the addresses of our target', onServer('r', ours)],
    ['the zone above', onServer('r', [['com', 'SOA', long]])],
    ['the delegation of challenges', onServer('r', [[delegation.host, 'CNAME', long]])],
    ['the wildcard probe', onServer('r', [[wildcardProbeOf(sub.name, '0123456789abcdef'), 'A', long]])],
    ['the name with its zone twice', onServer('r', [[doubledNameOf(sub.name, 'example.com'), 'A', long]])],
  ])('is not changed by %s', (_name, others) => {
    expect(until(onServer('r', [[sub.name, 'CNAME', gone]]), others, right)).toBe('2026-01-01T00:15:00.000Z');
  });

  it('is no end of a missing record in a cache that has the record', () => {
    const lookups = [
      ...onServer('r', [[sub.name, 'CNAME', found(target)]]),
      ...ofZone('n1', [[sub.name, 'CNAME', gone]]),
    ];
    const verdict = evaluateDns(findings(lookups, right), sub);
    expect(verdict).toMatchObject({ issues: [{ code: 'propagating' }, { code: 'no_record' }] });
    const [, missing] = verdict.kind === 'mismatch' ? verdict.issues : [];
    expect(missing?.evidence).not.toHaveProperty('expectedBy');
  });

  it('is unknown where the record has no TTL', () => {
    expect(until(onServer('r', [[sub.name, 'CNAME', timeless]]), right)).toBeUndefined();
  });

  it('is unknown where no cache is outdated', () => {
    expect(until(ofZone('n1', [[sub.name, 'CNAME', gone]]), ofZone('n2', [[sub.name, 'CNAME', found(target)]]))).toBe(
      undefined,
    );
  });
});
