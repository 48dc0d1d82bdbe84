import { describe, expect, it } from '@jest/globals';
import { CHALLENGE_NOT_PUBLISHED, type CaProblem, type DomainEvents, type PreflightFindings } from '@pets/contracts';
import { absent, findings, found, ofZone, onServer, sub } from '../../test/dns-findings.js';
import { classifyFailure, readRefusal } from './classify-failure.js';

const delegation = { host: '_acme-challenge.docs.example.com', target: '0a1b.acme.pets.example' };
const expected = { ...sub, delegation };
const attempt = {
  domainId: '00000000-0000-4000-8000-000000000000',
  generation: 2,
  attempt: 1,
  directoryUrl: 'https://ca.example/dir',
  method: null,
  order: null,
};
const cname = (value: string) => findings(onServer('1', [[expected.name, 'CNAME', found(value)]]));
const right = cname(expected.targetHost);

const atPreflight = (gate: Partial<PreflightFindings>): DomainEvents['certificate.failed'] => ({
  ...attempt,
  stage: 'gate',
  ordered: false,
  problem: null,
  gate: {
    ...{ dns: right, caa: { kind: 'permits' }, reachability: [], methods: ['http-01'], challengeError: null },
    ...gate,
  },
});
const byCa = (problem: Partial<CaProblem>): DomainEvents['certificate.failed'] => ({
  ...attempt,
  stage: 'order',
  ordered: true,
  problem: { type: null, detail: 'no', status: null, retryAt: null, ...problem },
  gate: null,
});
const bogusDns = findings(
  onServer('1', [
    [expected.name, 'CNAME', { kind: 'failed', error: 'SERVFAIL', isBogus: true }],
    ['com', 'SOA', absent],
  ]),
);
const atDelegation = (value: string | null, gate: Partial<PreflightFindings> = {}) => {
  const dns = findings(onServer('1', [[delegation.host, 'CNAME', value === null ? absent : found(value)]]));
  return atPreflight({ dns, methods: ['dns-01'], ...gate });
};
const acme = (type: string) => `urn:ietf:params:acme:error:${type}`;

describe('classifyFailure', () => {
  it.each<[string, DomainEvents['certificate.failed'], string, string]>([
    ['DNS that points elsewhere', atPreflight({ dns: cname('other.example.net') }), 'user', 'dns_lost'],
    ['unknown DNS', atPreflight({ dns: findings() }), 'passing', 'resolver_failed'],
    ['a zone with broken DNSSEC', atPreflight({ dns: bogusDns }), 'user', 'dnssec_broken'],
    [
      'CAA that broken DNSSEC hides',
      atPreflight({ caa: { kind: 'unknown', at: 'example.com', error: 'SERVFAIL', failures: [], isBogus: true } }),
      'user',
      'dnssec_broken',
    ],
    [
      'CAA against us',
      atPreflight({ caa: { kind: 'forbids', at: 'example.com', records: ['0 issue ";"'], permitting: 'x' } }),
      'user',
      'caa_forbids',
    ],
    ['a delegation that is gone', atDelegation(null), 'user', 'delegation_lost'],
    ['a delegation to another target', atDelegation('x.example.net'), 'user', 'delegation_lost'],
    [
      'a delegation that some servers lack',
      atDelegation(delegation.target, {
        dns: findings(
          ofZone('ns1', [[delegation.host, 'CNAME', found(delegation.target)]]),
          ofZone('ns2', [[delegation.host, 'CNAME', absent]]),
        ),
      }),
      'user',
      'delegation_propagating',
    ],
    [
      'a delegation that a TXT record hides',
      atDelegation(delegation.target, {
        dns: findings(
          ofZone('ns1', [
            [delegation.host, 'CNAME', found(delegation.target)],
            [delegation.host, 'TXT', found('x')],
          ]),
        ),
      }),
      'user',
      'delegation_shadowed',
    ],
    [
      'CAA of a set that is too large',
      atPreflight({
        caa: { kind: 'unknown', at: 'example.com', error: 'too large', failures: [], reason: 'too_large' },
      }),
      'user',
      'caa_too_large',
    ],
    ['an unknown delegation', atPreflight({ dns: findings(), methods: ['dns-01'] }), 'passing', 'resolver_failed'],
    [
      'CAA against the method',
      atDelegation(delegation.target, {
        caa: { kind: 'forbids', at: 'example.com', records: ['x'], permitting: 'x' },
      }),
      'user',
      'caa_forbids',
    ],
    [
      'a name server of ours that takes no updates',
      atDelegation(delegation.target, { challengeError: 'no reply' }),
      'passing',
      'challenge_not_published',
    ],
    [
      'an answer that did not become visible',
      byCa({ type: CHALLENGE_NOT_PUBLISHED }),
      'user',
      'challenge_not_published',
    ],
    [
      'unknown CAA',
      atPreflight({ caa: { kind: 'unknown', at: 'com', error: 'ESERVFAIL', failures: [] } }),
      'passing',
      'resolver_failed',
    ],
    [
      'an unreachable challenge path',
      atPreflight({ reachability: [{ address: '203.0.113.1', error: 'ECONNREFUSED' }] }),
      'passing',
      'http_unreachable',
    ],
    [
      'an unreachable challenge path, CAA not checked',
      atPreflight({ caa: null, reachability: [{ address: '203.0.113.1', error: 'ECONNREFUSED' }] }),
      'passing',
      'http_unreachable',
    ],
    ['a rate limit', byCa({ type: acme('rateLimited'), status: 429 }), 'rate', 'ca_rate_limited'],
    ['a bare 429', byCa({ status: 429 }), 'rate', 'ca_rate_limited'],
    ['a rate limit without its status', byCa({ type: acme('rateLimited') }), 'rate', 'ca_rate_limited'],
    ['an unsupported kind of name', byCa({ type: acme('unsupportedIdentifier') }), 'final', 'ca_refused'],
    ['a blocked name', byCa({ type: acme('rejectedIdentifier') }), 'final', 'ca_refused'],
    ['CAA as the CA sees it', byCa({ type: acme('caa') }), 'user', 'ca_refused'],
    ['a failed challenge', byCa({ type: acme('unauthorized') }), 'user', 'ca_refused'],
    ['no connection to the name', byCa({ type: acme('connection') }), 'user', 'ca_refused'],
    ['DNS as the CA sees it', byCa({ type: acme('dns') }), 'user', 'ca_refused'],
    ['a wrong answer to the challenge', byCa({ type: acme('incorrectResponse') }), 'user', 'ca_refused'],
    ['TLS as the CA sees it', byCa({ type: acme('tls') }), 'user', 'ca_refused'],
    [
      'the refusal of the CA, whatever the preflight found',
      { ...byCa({ type: acme('caa') }), gate: atPreflight({ dns: cname('other.example.net'), caa: null }).gate },
      'user',
      'ca_refused',
    ],
    ['a preflight without findings', { ...byCa({}), stage: 'gate' }, 'passing', 'ca_unavailable'],
    ['an internal error of the CA', byCa({ type: acme('serverInternal'), status: 500 }), 'passing', 'ca_unavailable'],
    ['no answer', byCa({}), 'passing', 'ca_unavailable'],
  ])('%s', (_name, failure, expectedClass, issue) => {
    const classified = classifyFailure(failure, expected);
    expect(classified.class).toBe(expectedClass);
    expect(classified.issues[0]?.code).toBe(issue);
  });

  const retryAt = '2026-01-02T00:00:00Z';
  it.each<[string, DomainEvents['certificate.failed'], Record<string, unknown>]>([
    [
      'lost DNS',
      atPreflight({ dns: cname('other.example.net') }),
      { name: expected.name, expected: expected.targetHost },
    ],
    [
      'a path that only some edges answer on',
      atPreflight({
        reachability: [
          { address: '203.0.113.1', error: null },
          { address: '203.0.113.2', error: 'ECONNREFUSED' },
        ],
      }),
      { name: expected.name, errors: ['203.0.113.2: ECONNREFUSED'] },
    ],
    [
      'a lost delegation',
      atDelegation(null),
      { name: expected.name, host: delegation.host, expected: delegation.target },
    ],
    [
      'an unknown delegation',
      atPreflight({ dns: findings(), methods: ['dns-01'] }),
      { errors: [`${delegation.host} was not looked up`] },
    ],
    [
      'a delegation that some servers lack',
      atDelegation(null, {
        dns: findings(
          ofZone('ns1', [[delegation.host, 'CNAME', found(delegation.target)]]),
          ofZone('ns2', [[delegation.host, 'CNAME', absent]]),
        ),
      }),
      { name: expected.name, host: delegation.host, stale: ['ns2'] },
    ],
    [
      'a name server of ours that takes no updates',
      atDelegation(delegation.target, { challengeError: 'no reply' }),
      { error: 'no reply' },
    ],
    ['an unknown problem of our name server', atDelegation(delegation.target), { error: 'unknown' }],
    ['an answer that did not become visible', byCa({ type: CHALLENGE_NOT_PUBLISHED }), { error: 'no' }],
    ['a refusal', byCa({ type: acme('dns') }), { detail: 'no', type: acme('dns') }],
    ['a blocked name', byCa({ type: acme('rejectedIdentifier') }), { detail: 'no', type: acme('rejectedIdentifier') }],
    ['a rate limit', byCa({ status: 429, retryAt }), { detail: 'no', until: retryAt }],
    ['a rate limit without an end', byCa({ status: 429 }), { detail: 'no', until: 'a later time' }],
    ['a broken CA', byCa({ status: 500 }), { detail: 'no' }],
    ['a broken CA that says when', byCa({ status: 503, retryAt }), { detail: 'no', until: retryAt }],
    ['no answer', { ...byCa({}), problem: null }, { detail: 'no answer' }],
  ])('shows the evidence of %s', (_name, failure, evidence) => {
    expect(classifyFailure(failure, expected).issues[0]?.evidence).toEqual(evidence);
  });

  it('knows no delegation without a zone for challenges', () => {
    const failure = atDelegation(null, { challengeError: 'no reply' });
    expect(classifyFailure(failure, sub).issues[0]?.code).toBe('challenge_not_published');
  });

  it('has no time where the CA asked for none', () => {
    expect(classifyFailure(byCa({}), expected).retryAt).toBeNull();
  });

  it('keeps the time the CA asked for', () => {
    const failure = byCa({ type: acme('rateLimited'), retryAt: '2026-01-02T00:00:00Z' });
    expect(classifyFailure(failure, expected).retryAt).toEqual(new Date('2026-01-02T00:00:00Z'));
  });
});

const now = new Date('2026-03-01T12:00:00Z');
const inMinutes = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const docs = { name: 'docs.example.com', apexName: 'example.com' };
const wildcard = { name: '*.example.com', apexName: 'example.com' };
const apex = { name: 'example.com', apexName: 'example.com' };
const read = (detail: string, names = docs, retryAt: Date | null = inMinutes(20)) =>
  readRefusal({ detail, retryAt: retryAt?.toISOString() ?? null }, names, now);

describe('a refusal of a CA that limits the rate', () => {
  it.each([
    ['too many new orders (300) from this account in the last 3h0m0s, retry after 2026-03-01', docs, 'account'],
    ['Rate limit exceeded', apex, 'account'],
    ['too many certificates (50) already issued for "example.com" in the last 168h0m0s', docs, 'registered_domain'],
    ['too many certificates (50) already issued for "example.com" in the last 168h0m0s', apex, 'registered_domain'],
    ['too many certificates (50) already issued for "Example.COM".', docs, 'registered_domain'],
    ['too many certificates (5) already issued for this exact set of identifiers in the last 168h0m0s', docs, 'name'],
    ['too many failed authorizations (5) for "docs.example.com" in the last 1h0m0s', docs, 'name'],
    ['too many failed authorizations (5) for "example.com" in the last 1h0m0s', apex, 'name'],
    ['too many failed authorizations (5) for "example.com" in the last 1h0m0s', wildcard, 'name'],
    ['too many certificates (50) already issued for "example.com" in the last 168h0m0s', wildcard, 'registered_domain'],
    ['too many failed authorizations (5) for "example.com" in the last 1h0m0s', docs, 'registered_domain'],
    ['there are too many certificates for example.com.', docs, 'registered_domain'],
    ['the name *.example.com is not allowed yet', wildcard, 'name'],
    ['see https://ca.example.com/limits', docs, 'account'],
    ['the name notexample.com is at its limit', docs, 'account'],
  ] as const)('%s (%j): %s', (detail, names, by) => expect(read(detail, names).by).toBe(by));

  it('of an account ends after three hours, or after a minute if the CA names no time', () => {
    expect(read('of the account').until).toEqual(inMinutes(20));
    expect(read('of the account', docs, inMinutes(600)).until).toEqual(inMinutes(180));
    expect(read('of the account', docs, null).until).toEqual(inMinutes(1));
    expect(read('certificates for example.com', docs, inMinutes(600)).until).toEqual(inMinutes(600));
  });
});
