import type { DomainEvents, DomainIssue, IssueCode } from '@pets/contracts';
import { addressExamples } from './address-examples.js';
import { classifyFailure } from './certificates/classify-failure.js';
import { queueIssue } from './certificates/order-queue.js';
import { describeCaa, evaluateCaa } from './certificates/evaluate-caa.js';
import { delegationExamples } from './delegation-examples.js';
import { absent, checkedAt, findingsOf, first, lookups, seenInDns, subdomain, targetHost } from './example-lookups.js';
import { describeIssue } from './issues.js';
import { ownershipExamples } from './ownership-examples.js';

/** The meaning of an issue code, and an issue as the code below produces it. */
export interface IssueExample {
  readonly meaning: string;
  readonly issue: DomainIssue;
}

/** Examples by code, for `docs/diagnoses.md`. All but those of the lifecycle come from the evaluating functions. */
export const issueExamples: Readonly<Record<IssueCode, IssueExample>> = {
  no_record: {
    meaning: 'The name has no DNS record yet.',
    issue: seenInDns(
      'no_record',
      subdomain,
      lookups(['CNAME', 'docs.example.com', absent], ['A', 'docs.example.com', absent]),
    ),
  },
  entered_with_zone: {
    meaning:
      'The record exists, but at a name with the zone twice: the complete name was entered as the name of the record.',
    issue: seenInDns(
      'entered_with_zone',
      subdomain,
      lookups(
        ['CNAME', 'docs.example.com', absent],
        ['A', 'docs.example.com', absent],
        ['CNAME', 'docs.example.com.example.com', [targetHost]],
      ),
    ),
  },
  cname_mismatch: {
    meaning:
      'The name is a CNAME to another host. Usual mistakes are explained: a typing error, a truncated value, an appended zone.',
    issue: seenInDns(
      'cname_mismatch',
      subdomain,
      lookups(['CNAME', 'docs.example.com', [`${targetHost}.example.com`]]),
    ),
  },
  conflicting_a: {
    meaning: 'The name has A records instead of the CNAME.',
    issue: seenInDns('conflicting_a', subdomain, lookups(['A', 'docs.example.com', ['203.0.113.7']])),
  },
  conflicting_aaaa: {
    meaning: 'The name has AAAA records instead of the CNAME.',
    issue: seenInDns('conflicting_aaaa', subdomain, lookups(['AAAA', 'docs.example.com', ['2001:db8::7']])),
  },
  conflicting_records: {
    meaning: 'The CNAME is correct, but address records at the same name conflict with it.',
    issue: seenInDns(
      'conflicting_records',
      subdomain,
      lookups(
        ['CNAME', 'docs.example.com', [targetHost]],
        ['A', 'docs.example.com', ['203.0.113.7']],
        ['AAAA', 'docs.example.com', ['2001:db8::7']],
        ['A', targetHost, ['198.51.100.7']],
      ),
    ),
  },
  proxied_by_cdn: {
    meaning: 'The name points to a proxy, so neither visitors nor the certificate authority reach us.',
    issue: seenInDns('proxied_by_cdn', subdomain, lookups(['A', 'docs.example.com', ['104.16.1.1', '104.16.2.1']])),
  },
  ...addressExamples,
  ...ownershipExamples,
  ...delegationExamples,
  resolver_failed: {
    meaning: 'No name server gave a usable answer. This never counts against the domain.',
    issue: seenInDns(
      'resolver_failed',
      subdomain,
      lookups(['CNAME', 'docs.example.com', { kind: 'failed', error: 'SERVFAIL' }]),
    ),
  },
  dnssec_broken: {
    meaning:
      'Resolvers refuse the signatures of the zone, and answer without checking them. Usual after a move to another DNS provider. No certificate is ordered.',
    issue: seenInDns(
      'dnssec_broken',
      subdomain,
      lookups(
        ['CNAME', 'docs.example.com', { kind: 'failed', error: 'SERVFAIL (DNSKEY Missing)', isBogus: true }],
        ['SOA', 'com', absent],
      ),
    ),
  },
  propagating: {
    meaning: 'Name servers disagree: some still return the old record.',
    issue: seenInDns('propagating', subdomain, [
      ...lookups(['CNAME', 'docs.example.com', absent]),
      ...lookups(['CNAME', 'docs.example.com', [targetHost]]).map((lookup) => ({ ...lookup, server: '192.0.2.54:53' })),
    ]),
  },
  caa_forbids: { meaning: 'CAA records do not allow our certificate authority to issue.', issue: forbiddenByCaa() },
  caa_too_large: {
    meaning: 'The CAA records are too large to read, so we could not check what they allow.',
    issue: describeIssue('caa_too_large', { at: 'example.com', error: '150 records of 9750 bytes' }),
  },
  caa_unanswered: {
    meaning: 'For an hour, name servers have not answered whether there are CAA records.',
    issue: describeIssue('caa_unanswered', {
      at: 'example.com',
      servers: ['192.0.2.54:53: SERVFAIL'],
      since: '2026-11-02T08:10:00.000Z',
    }),
  },
  http_unreachable: {
    meaning:
      'DNS and CAA are correct, but the HTTP challenge path that the certificate authority requests does not answer.',
    issue: first(
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
  },
  ca_refused: {
    meaning: 'The certificate authority refused the order, the challenge or the name.',
    issue: refusedByCa('urn:ietf:params:acme:error:rejectedIdentifier', 400, 'The name is on a list of blocked names'),
  },
  ca_rate_limited: {
    meaning: 'The certificate authority temporarily accepts no more orders.',
    issue: refusedByCa('urn:ietf:params:acme:error:rateLimited', 429, 'too many certificates for example.com'),
  },
  certificate_queued: {
    meaning:
      'Orders of the service that came before have to be placed first, within the limits of the certificate authority.',
    issue: queueIssue(
      { before: 142, isMore: false, expectedAt: new Date('2026-11-02T09:50:00.000Z') },
      new Date(checkedAt),
    ),
  },
  certificate_pending: {
    meaning: 'The certificate authority has accepted the request for a certificate, and needs more time to issue it.',
    issue: describeIssue('certificate_pending', { authority: 'ca.example', since: checkedAt }),
  },
  ca_unavailable: {
    meaning: 'The certificate authority could not be reached, or failed.',
    issue: refusedByCa(null, null, 'the CA at ca.example cannot be reached: ECONNREFUSED'),
  },
  not_served_yet: {
    meaning: 'The certificate has been issued, but an edge does not serve it yet.',
    issue: describeIssue('not_served_yet', { seen: ['edge-1: no certificate was presented'] }),
  },
  certificate_overdue: {
    meaning: 'Half an hour after verification, the domain still has no certificate.',
    issue: describeIssue('certificate_overdue', { name: subdomain.name, since: checkedAt }),
  },
  renewal_at_risk: {
    meaning: 'Half of the certificate’s lifetime is over, and something prevents its renewal.',
    issue: describeIssue('renewal_at_risk', { name: subdomain.name, until: '2026-12-24T09:10:00.000Z' }),
  },
  certificate_expiring: {
    meaning: 'A tenth of the certificate’s lifetime is left, and it has not been renewed.',
    issue: describeIssue('certificate_expiring', { name: subdomain.name, until: '2026-11-05T09:10:00.000Z' }),
  },
  certificate_expired: {
    meaning: 'The certificate has expired. The domain stays live, and we keep trying to renew the certificate.',
    issue: describeIssue('certificate_expired', { name: subdomain.name, until: checkedAt }),
  },
  own_certificate_expiring: {
    meaning:
      'A tenth of the lifetime of the uploaded certificate is left, at most 30 days. An hour before its end, the automatic ' +
      'certificate takes its place.',
    issue: describeIssue('own_certificate_expiring', { name: subdomain.name, until: '2026-11-05T09:10:00.000Z' }),
  },
  own_certificate_expired: {
    meaning:
      'The uploaded certificate has ended, and its key was deleted. The automatic certificate is served, if it exists.',
    issue: describeIssue('own_certificate_expired', { name: subdomain.name, until: checkedAt }),
  },
  own_certificate_revoked: {
    meaning:
      'The revocation list of its certificate authority names the uploaded certificate. Nobody gets it any more.',
    issue: describeIssue('own_certificate_revoked', { name: subdomain.name, issuer: 'Example Issuing CA' }),
  },
  dns_lost: {
    meaning: 'The name no longer points here. We still serve the traffic that arrives.',
    issue: describeIssue('dns_lost', { name: 'docs.example.com', expected: targetHost }),
  },
  plan_ended: {
    meaning: 'The plan changed to one without custom domains. We serve the domain until the grace period ends.',
    issue: describeIssue('plan_ended', { name: 'docs.example.com', until: '2026-11-16T09:30:00.000Z' }),
  },
  suspended: {
    meaning:
      'The operator suspended the domain, its project or its organization, or the plan no longer includes the domain.',
    issue: describeIssue('suspended', {
      name: 'docs.example.com',
      scope: 'domain',
      cause: 'operator',
      reason: 'phishing reports',
      since: '2026-11-02T09:30:00.000Z',
    }),
  },
  dangling_record: {
    meaning: 'The domain was removed here, but its DNS record still exists.',
    issue: describeIssue('dangling_record', { name: 'docs.example.com', expected: targetHost }),
  },
};

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
  const ca = { directoryUrl: 'https://ca.example/directory', account: 'default', method: 'http-01' } as const;
  return { ...attempt, ...ca, stage: 'order', ordered: true, problem: null, gate: null, order: null, ...parts };
}
