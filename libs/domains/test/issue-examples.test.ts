import { expect, it } from '@jest/globals';
import type { DnsLookup, DomainEvents, DomainIssue, IssueCode } from '@pets/contracts';
import { classifyFailure } from '../src/certificates/classify-failure.js';
import { describeCaa, evaluateCaa } from '../src/certificates/evaluate-caa.js';
import { queueIssue } from '../src/certificates/order-queue.js';
import { delegationIssue, evaluateDelegation, requiredDelegationIssues } from '../src/dns/evaluate-delegation.js';
import { evaluateDns } from '../src/dns/evaluate-dns.js';
import { withRetiringAddresses } from '../src/dns/match-by-address.js';
import { describeIssue, issueCatalog } from '../src/issues/issue-catalog.js';
import { unprovenIssues } from '../src/lifecycle/evaluate-claim.js';
import { delegationFor } from '../src/names/required-records.js';
import {
  absent,
  apex,
  checkedAt,
  findingsOf,
  first,
  lookups,
  seenInDns,
  subdomain,
  targetHost,
} from './example-lookups.js';

const name = 'docs.example.com';
const delegation = delegationFor(name, 'p6ns2yjw4kq3fbxe7mdu', 'acme.pets.example');

/** Issues as the verdicts write them: the examples of `docs/diagnoses.md` have the same evidence. */
const findIssues = (): Partial<Record<IssueCode, DomainIssue>> => ({
  no_record: seenInDns(
    'no_record',
    subdomain,
    lookups(['CNAME', 'docs.example.com', absent], ['A', 'docs.example.com', absent]),
  ),
  entered_with_zone: seenInDns(
    'entered_with_zone',
    subdomain,
    lookups(
      ['CNAME', 'docs.example.com', absent],
      ['A', 'docs.example.com', absent],
      ['CNAME', 'docs.example.com.example.com', [targetHost]],
    ),
  ),
  cname_mismatch: seenInDns(
    'cname_mismatch',
    subdomain,
    lookups(['CNAME', 'docs.example.com', [`${targetHost}.example.com`]]),
  ),
  conflicting_a: seenInDns('conflicting_a', subdomain, lookups(['A', 'docs.example.com', ['203.0.113.7']])),
  conflicting_aaaa: seenInDns('conflicting_aaaa', subdomain, lookups(['AAAA', 'docs.example.com', ['2001:db8::7']])),
  conflicting_records: seenInDns(
    'conflicting_records',
    subdomain,
    lookups(
      ['CNAME', 'docs.example.com', [targetHost]],
      ['A', 'docs.example.com', ['203.0.113.7']],
      ['AAAA', 'docs.example.com', ['2001:db8::7']],
      ['A', targetHost, ['198.51.100.7']],
    ),
  ),
  proxied_by_cdn: seenInDns(
    'proxied_by_cdn',
    subdomain,
    lookups(['A', 'docs.example.com', ['104.16.1.1', '104.16.2.1']]),
  ),
  apex_cname: seenInDns('apex_cname', apex, lookups(['CNAME', 'example.com', ['other.example.net']])),
  apex_cname_to_us: seenInDns('apex_cname_to_us', apex, lookups(['CNAME', 'example.com', [targetHost]])),
  apex_not_pointing_here: seenInDns(
    'apex_not_pointing_here',
    { ...apex, addresses: ['198.51.100.7', '2001:db8::17'] },
    lookups(['A', 'example.com', ['203.0.113.7']], ['A', targetHost, ['198.51.100.7']]),
  ),
  flattened: seenInDns(
    'flattened',
    subdomain,
    lookups(['A', 'docs.example.com', ['198.51.100.7']], ['A', targetHost, ['198.51.100.7']]),
  ),
  address_retiring: retiring(),
  ownership_txt_missing: unproven(),
  delegation_missing: requiredIssue(),
  delegation_mismatch: delegationSeen([seen('192.0.2.53:53', 'docs.acme-hosting.example.net')]),
  delegation_shadowed: delegationSeen([
    { ...seen('192.0.2.1:53', delegation.target), isAuthoritative: true },
    {
      name: delegation.host,
      type: 'TXT',
      server: '192.0.2.1:53',
      isAuthoritative: true,
      answer: { kind: 'found', records: [{ value: 'gfj9Xq3hT0bT5xkq2cOQz0d2vLr7mVn8', ttl: 60 }] },
    },
  ]),
  delegation_propagating: delegationSeen([seen('192.0.2.53:53', delegation.target), seen('192.0.2.54:53', null)]),
  resolver_failed: seenInDns(
    'resolver_failed',
    subdomain,
    lookups(['CNAME', 'docs.example.com', { kind: 'failed', error: 'SERVFAIL' }]),
  ),
  dnssec_broken: seenInDns(
    'dnssec_broken',
    subdomain,
    lookups(
      ['CNAME', 'docs.example.com', { kind: 'failed', error: 'SERVFAIL (DNSKEY Missing)', isBogus: true }],
      ['SOA', 'com', absent],
    ),
  ),
  propagating: seenInDns('propagating', subdomain, [
    ...lookups(['CNAME', 'docs.example.com', absent]),
    ...lookups(['CNAME', 'docs.example.com', [targetHost]]).map((lookup) => ({ ...lookup, server: '192.0.2.54:53' })),
  ]),
  caa_forbids: forbiddenByCaa(),
  http_unreachable: first(
    classifyFailure(
      failure({
        stage: 'gate',
        gate: {
          dns: findingsOf(lookups(['CNAME', 'docs.example.com', [targetHost]])),
          caa: { kind: 'permits' },
          reachability: [{ address: '198.51.100.7', error: 'no answer within 3000 ms' }],
          methods: ['http-01'],
          challengeError: null,
        },
      }),
      subdomain,
    ).issues,
  ),
  ca_refused: refusedByCa(
    'urn:ietf:params:acme:error:rejectedIdentifier',
    400,
    'The name is on a list of blocked names',
  ),
  ca_rate_limited: refusedByCa('urn:ietf:params:acme:error:rateLimited', 429, 'too many certificates for example.com'),
  certificate_queued: queueIssue(
    { before: 142, isMore: false, expectedAt: new Date('2026-11-02T09:50:00.000Z') },
    new Date(checkedAt),
  ),
  ca_unavailable: refusedByCa(null, null, 'the CA at ca.example cannot be reached: ECONNREFUSED'),
});

// In one test, so that nothing of the code is evaluated while the file is loaded: `npm run mutate` would run it for every change.
it('the examples have the evidence that verdicts find', () => {
  const found = findIssues();
  const described = Object.values(found).map(({ code }) => [code, describeIssue(code, issueCatalog[code].example)]);
  expect(found).toEqual(Object.fromEntries(described));
  expect(Object.keys(found).length).toBeGreaterThan(20);
});

function forbiddenByCaa(): DomainIssue {
  const seen = lookups(['CAA', 'docs.example.com', absent], ['CAA', 'example.com', ['0 issue "other-ca.example"']]);
  const verdict = evaluateCaa(seen, 'docs.example.com', { identities: ['letsencrypt.org'], accountUrl: null });
  if (verdict.kind === 'permits') throw new Error('the example permits issuance');
  return describeCaa(verdict);
}

function refusedByCa(type: string | null, status: number | null, detail: string): DomainIssue {
  const retryAt = status === 429 ? '2026-11-02T12:00:00.000Z' : null;
  const problem = { type, status, detail, retryAt };
  return first(classifyFailure(failure({ stage: 'order', problem }), subdomain).issues);
}

function failure(parts: Partial<DomainEvents['certificate.failed']>): DomainEvents['certificate.failed'] {
  const attempt = { domainId: '7c1d3a90-4b6e-4f7a-9e55-1d2c3b4a5f60', generation: 2, attempt: 1 };
  const ca = { directoryUrl: 'https://ca.example/directory', method: 'http-01' } as const;
  return { ...attempt, ...ca, stage: 'order', ordered: true, problem: null, gate: null, order: null, ...parts };
}

function retiring(): DomainIssue {
  const listed = { addresses: ['198.51.100.7', '198.51.100.8'], retiringAddresses: ['198.51.100.8'] };
  const expected = { ...apex, ...listed };
  const findings = findingsOf(lookups(['A', 'example.com', ['198.51.100.8']], ['A', targetHost, ['198.51.100.7']]));
  const dns = withRetiringAddresses(evaluateDns(findings, expected), findings, expected, listed.retiringAddresses);
  return first((dns.kind === 'matches' && dns.notes) || []);
}

function unproven(): DomainIssue {
  const host = '_platform-challenge.docs.example.com';
  const token = 'p4V0nJ2mXq8Tr6Wc1Zy7Hk3LbN0';
  return first(unprovenIssues({ verdict: { kind: 'refuted', seen: [`pets=${token}`] }, host, token }));
}

/** The CNAME that a server answered; null for none. */
function seen(server: string, value: string | null): DnsLookup {
  const answer: DnsLookup['answer'] =
    value === null ? { kind: 'absent' } : { kind: 'found', records: [{ value, ttl: 60 }] };
  return { name: delegation.host, type: 'CNAME', server, answer };
}

function requiredIssue(): DomainIssue {
  const verdict = evaluateDelegation(findingsOf([seen('192.0.2.53:53', null)]), delegation);
  return first(requiredDelegationIssues(verdict, delegation, '*.docs.example.com'));
}

function delegationSeen(lookups: DnsLookup[]): DomainIssue {
  const verdict = evaluateDelegation(findingsOf(lookups), delegation);
  const issue = delegationIssue(verdict, delegation, name);
  return first(issue === null ? [] : [issue]);
}
