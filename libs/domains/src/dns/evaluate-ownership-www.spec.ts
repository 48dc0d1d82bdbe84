import { describe, expect, it } from '@jest/globals';
import { absent, apex, failed, found, findings, ofZone, onServer, type Asked } from '../../test/dns-findings.js';
import { evaluateWww, requiresOwnershipProof, type WwwVerdict } from './evaluate-ownership.js';
import type { DnsVerdict } from './evaluate-dns.js';
import { zoneProbeOf } from './probes.js';

const www = 'www.example.com';
const wwwTargetHost = 'w0k.cname.pets.example';
const expected = { ...apex, wwwTargetHost };
const probe = zoneProbeOf(www, '0123456789abcdef');
const inZone = (zone: string) => ({ kind: 'absent', zone, ttl: 5 }) as const;

const alias: Asked = [www, 'CNAME', found(wwwTargetHost)];
const zone: Asked = [probe, 'NS', inZone('example.com')];
const right: Asked[] = [alias, zone];

describe('the www name of an apex', () => {
  it.each<[string, Parameters<typeof findings>, WwwVerdict['kind']]>([
    ['proves it in the same zone', [ofZone('ns1', right)], 'proven'],
    [
      'proves it with any spelling of its target',
      [ofZone('ns1', [[www, 'CNAME', found('W0K.cname.pets.example.')], zone])],
      'proven',
    ],
    [
      'says nothing where it is delegated, and the same server has that zone',
      [ofZone('ns1', [alias, [probe, 'NS', inZone(www)]])],
      'refuted',
    ],
    [
      'says nothing where it is delegated to other servers',
      [
        ofZone('ns1', [
          [www, 'CNAME', failed],
          [probe, 'NS', failed],
        ]),
      ],
      'unknown',
    ],
    [
      'says nothing where the zone begins above the apex',
      [ofZone('ns1', [alias, [probe, 'NS', inZone('com')]])],
      'refuted',
    ],
    [
      'says nothing where it points at another target',
      [ofZone('ns1', [[www, 'CNAME', found(apex.targetHost)], zone])],
      'refuted',
    ],
    [
      'says nothing where it points there over another name',
      [
        ofZone('ns1', [
          [www, 'CNAME', found('cdn.agency.example')],
          ['cdn.agency.example', 'CNAME', found(wwwTargetHost)],
          zone,
        ]),
      ],
      'refuted',
    ],
    ['says nothing where it has addresses', [ofZone('ns1', [[www, 'CNAME', absent], zone])], 'refuted'],
    [
      'says nothing where one of the servers has another record',
      [ofZone('ns1', right), ofZone('ns2', [[www, 'CNAME', absent], zone])],
      'refuted',
    ],
    [
      'proves it where one of the servers is silent',
      [
        ofZone('ns1', right),
        ofZone('ns2', [
          [www, 'CNAME', failed],
          [probe, 'NS', failed],
        ]),
      ],
      'proven',
    ],
    [
      'proves it where the first of the servers is silent',
      [
        ofZone('ns1', [
          [www, 'CNAME', failed],
          [probe, 'NS', failed],
        ]),
        ofZone('ns2', right),
      ],
      'proven',
    ],
    [
      'proves it beside answers to other questions',
      [ofZone('ns1', [...right, [www, 'A', found('192.0.2.1')]])],
      'proven',
    ],
    [
      'says nothing where it has a second value',
      [ofZone('ns1', [[www, 'CNAME', found(wwwTargetHost, 'x.example.net')], zone])],
      'refuted',
    ],
    ['is unknown where the zone is not named', [ofZone('ns1', [alias, [probe, 'NS', absent]])], 'unknown'],
    [
      'is unknown where the probe finds something',
      [ofZone('ns1', [alias, [probe, 'NS', found('ns1.example.com')]])],
      'unknown',
    ],
    ['is unknown where the record was not asked for', [ofZone('ns1', [zone])], 'unknown'],
    ['is unknown where only resolvers answer', [onServer('r1', right)], 'unknown'],
    ['is unknown where nobody was asked', [[]], 'unknown'],
  ])('%s', (_case, lookups, kind) => {
    expect(evaluateWww(findings(...lookups), expected).kind).toBe(kind);
  });

  it('says nothing where a CNAME of another name led to it', () => {
    const lookups = ofZone('ns1', right).map((lookup) =>
      lookup.type === 'CNAME' ? { ...lookup, alias: 'elsewhere.example' } : lookup,
    );
    expect(evaluateWww(findings(lookups), expected).kind).toBe('refuted');
  });

  it.each<[string, Parameters<typeof findings>, string]>([
    ['no name server was queried', [[]], 'the name servers of example.com could not be queried'],
    ['the zone was not asked for', [ofZone('ns1', [alias])], 'the name servers of example.com could not be queried'],
    ['the record was not asked for', [ofZone('ns1', [zone])], 'ns1 was not queried for the record'],
    ['the record is not known', [ofZone('ns1', [[www, 'CNAME', failed], zone])], 'ESERVFAIL'],
    ['the zone is not known', [ofZone('ns1', [alias, [probe, 'NS', failed]])], 'ESERVFAIL'],
    [
      'the zone is not named',
      [ofZone('ns1', [alias, [probe, 'NS', absent]])],
      `ns1 does not state the zone of ${probe}`,
    ],
  ])('is unknown, and says why: %s', (_case, lookups, error) => {
    expect(evaluateWww(findings(...lookups), expected)).toEqual({ kind: 'unknown', error });
  });

  it('says nothing where the organization does not hold it', () => {
    expect(evaluateWww(findings(ofZone('ns1', right)), apex).kind).toBe('refuted');
  });

  it('is unknown where an alias answers in place of its zone', () => {
    const [aliased, below] = ofZone('ns1', right);
    const lookups = [aliased, { ...below, alias: 'elsewhere.example' }].flatMap((one) =>
      one === undefined ? [] : [one],
    );
    expect(evaluateWww(findings(lookups as Parameters<typeof findings>[0]), expected).kind).toBe('unknown');
  });
});

describe('the proof of ownership', () => {
  const matches = (by: 'target' | 'address'): DnsVerdict => ({ kind: 'matches', by });
  const mismatch = { kind: 'mismatch', issues: [], conflicts: [] } as const;
  const name = { isApex: false, isWildcard: false, hasOtherClaims: false };
  const unknown: WwwVerdict = { kind: 'unknown', error: 'SERVFAIL' };

  it.each<[string, Parameters<typeof requiresOwnershipProof>[0], boolean]>([
    [
      'is required of an apex that matches by address',
      { ...name, isApex: true, dns: matches('address'), www: { kind: 'refuted' } },
      true,
    ],
    [
      'is required while the www name is unknown',
      { ...name, isApex: true, dns: matches('address'), www: unknown },
      true,
    ],
    [
      'is not required where the www name proves it',
      { ...name, isApex: true, dns: matches('address'), www: { kind: 'proven' } },
      false,
    ],
    [
      'is required with the www name too where others have a claim',
      { ...name, isApex: true, hasOtherClaims: true, dns: matches('address'), www: { kind: 'proven' } },
      true,
    ],
    [
      'is not required of an apex that shows its target',
      { ...name, isApex: true, dns: matches('target'), www: { kind: 'refuted' } },
      false,
    ],
    [
      'is required of an apex that shows its target where others have a claim',
      { ...name, isApex: true, hasOtherClaims: true, dns: matches('target'), www: { kind: 'refuted' } },
      true,
    ],
    ['is asked for from the beginning', { ...name, isApex: true, dns: mismatch, www: { kind: 'refuted' } }, true],
    [
      'is not required of another name that shows its target',
      { ...name, dns: matches('target'), www: { kind: 'refuted' } },
      false,
    ],
    [
      'is required of another name that somebody else has had',
      { ...name, hasOtherClaims: true, dns: matches('target'), www: { kind: 'refuted' } },
      true,
    ],
    [
      'is required of another name that matches by address',
      { ...name, dns: matches('address'), www: { kind: 'refuted' } },
      true,
    ],
    [
      'is asked for where another name shows one of our addresses',
      { ...name, dns: { ...mismatch, showsOurAddresses: true }, www: { kind: 'refuted' } },
      true,
    ],
    ['is not asked for where it shows others', { ...name, dns: mismatch, www: { kind: 'refuted' } }, false],
    [
      'is not required of a wildcard, which has its delegation',
      { ...name, isWildcard: true, dns: matches('address'), www: { kind: 'refuted' } },
      false,
    ],
    [
      'is required of a wildcard where others have a claim',
      { ...name, isWildcard: true, hasOtherClaims: true, dns: matches('address'), www: { kind: 'refuted' } },
      true,
    ],
  ])('%s', (_case, facts, isRequired) => {
    expect(requiresOwnershipProof(facts)).toBe(isRequired);
  });
});
