import { describe, expect, it } from '@jest/globals';
import type { CaProblem, DomainEvents, GateFindings } from '@pets/contracts';
import { classifyFailure } from './classify-failure.js';

const expected = { name: 'docs.example.com', isApex: false, targetHost: 't0k.cname.pets.example', ownershipHost: null };
const attempt = {
  domainId: '00000000-0000-4000-8000-000000000000',
  generation: 2,
  attempt: 1,
  directoryUrl: 'https://ca.example/dir',
};
const cname = (value: string): GateFindings['dns'] => ({
  checkedAt: '2026-01-01T00:00:00Z',
  lookups: [
    { name: expected.name, type: 'CNAME', server: '1', answer: { kind: 'found', records: [{ value, ttl: 60 }] } },
  ],
});
const right = cname(expected.targetHost);

const atGate = (gate: Partial<GateFindings>): DomainEvents['certificate.failed'] => ({
  ...attempt,
  stage: 'gate',
  ordered: false,
  problem: null,
  gate: { dns: right, caa: { kind: 'permits' }, reachability: [], ...gate },
});
const byCa = (problem: Partial<CaProblem>): DomainEvents['certificate.failed'] => ({
  ...attempt,
  stage: 'order',
  ordered: true,
  problem: { type: null, detail: 'no', status: null, retryAt: null, ...problem },
  gate: null,
});
const acme = (type: string) => `urn:ietf:params:acme:error:${type}`;

describe('classifyFailure', () => {
  it.each<[string, DomainEvents['certificate.failed'], string, string]>([
    ['DNS that points elsewhere', atGate({ dns: cname('other.example.net') }), 'user', 'dns_lost'],
    [
      'DNS that could not be told',
      atGate({ dns: { checkedAt: '2026-01-01T00:00:00Z', lookups: [] } }),
      'passing',
      'resolver_failed',
    ],
    [
      'CAA against us',
      atGate({ caa: { kind: 'forbids', at: 'example.com', records: ['0 issue ";"'], permitting: 'x' } }),
      'user',
      'caa_forbids',
    ],
    [
      'CAA that could not be told',
      atGate({ caa: { kind: 'unknown', at: 'com', error: 'ESERVFAIL' } }),
      'passing',
      'resolver_failed',
    ],
    [
      'an unreachable challenge path',
      atGate({ reachability: [{ address: '203.0.113.1', error: 'ECONNREFUSED' }] }),
      'passing',
      'http_unreachable',
    ],
    ['a rate limit', byCa({ type: acme('rateLimited'), status: 429 }), 'rate', 'ca_rate_limited'],
    ['a bare 429', byCa({ status: 429 }), 'rate', 'ca_rate_limited'],
    ['a blocked name', byCa({ type: acme('rejectedIdentifier') }), 'final', 'ca_refused'],
    ['CAA as the CA sees it', byCa({ type: acme('caa') }), 'user', 'ca_refused'],
    ['a failed challenge', byCa({ type: acme('unauthorized') }), 'user', 'ca_refused'],
    ['the CA being broken', byCa({ type: acme('serverInternal'), status: 500 }), 'passing', 'ca_unavailable'],
    ['no answer', byCa({}), 'passing', 'ca_unavailable'],
  ])('%s', (_name, failure, expectedClass, issue) => {
    const classified = classifyFailure(failure, expected);
    expect([classified.class, classified.issues[0]?.code]).toEqual([expectedClass, issue]);
  });

  it('keeps the time the CA asked for', () => {
    const failure = byCa({ type: acme('rateLimited'), retryAt: '2026-01-02T00:00:00Z' });
    expect(classifyFailure(failure, expected).retryAt).toEqual(new Date('2026-01-02T00:00:00Z'));
  });
});
