import { describe, expect, it } from '@jest/globals';
import { domainEvents, domainJobs, webhookJobs } from '@pets/contracts';
import { redactPayload } from './queue-view.js';

/** The members of each payload of the catalogs that an operator sees. A new member needs a decision here. */
const visible = {
  'verify-dns': ['attempt', 'clearedHost', 'domainId', 'expected', 'generation', 'leaseUntil', 'organizationId'],
  'reverify-domain': [
    'account',
    'attempt',
    'directoryUrl',
    'domainId',
    'expected',
    'generation',
    'leaseUntil',
    'methods',
    'organizationId',
  ],
  'issue-certificate': [
    'account',
    'attempt',
    'clearedHost',
    'csrPem',
    'directoryUrl',
    'domainId',
    'expected',
    'generation',
    'leaseUntil',
    'methods',
    'order',
    'profile',
    'replaces',
  ],
  'fetch-renewal-info': ['attempt', 'certificateIdentifier', 'directoryUrl', 'domainId', 'generation', 'leaseUntil'],
  'probe-edge': [
    'attempt',
    'domainId',
    'edges',
    'generation',
    'leafSha256',
    'leaseUntil',
    'name',
    'rechecks',
    'spares',
    'suspects',
  ],
  'edges.probed': ['domainId', 'results'],
  'revoke-certificate': [
    'account',
    'attempt',
    'certificate',
    'certificateId',
    'directoryUrl',
    'domainId',
    'leaseUntil',
    'reason',
  ],
  'check-revocation-list': [
    'attempt',
    'certificateId',
    'domainId',
    'issuer',
    'leaseUntil',
    'organizationId',
    'serialNumber',
    'urls',
  ],
  'deliver-webhook': ['attempt', 'deliveryId', 'leaseUntil'],
  'dns.checked': ['attempt', 'domainId', 'findings', 'generation'],
  'domain.reverified': ['attempt', 'caa', 'domainId', 'findings', 'generation'],
  'certificate.issued': ['account', 'attempt', 'chainPem', 'directoryUrl', 'domainId', 'generation', 'method'],
  'certificate.ordered': [
    'account',
    'attempt',
    'directoryUrl',
    'domainId',
    'expires',
    'generation',
    'method',
    'orderUrl',
    'replaces',
  ],
  'certificate.pending': ['account', 'attempt', 'directoryUrl', 'domainId', 'generation', 'retryAt'],
  'certificate.failed': [
    'account',
    'attempt',
    'directoryUrl',
    'domainId',
    'gate',
    'generation',
    'method',
    'order',
    'ordered',
    'problem',
    'stage',
  ],
  'renewal_info.fetched': [
    'attempt',
    'certificateIdentifier',
    'directoryUrl',
    'domainId',
    'explanationUrl',
    'generation',
    'problem',
    'retryAt',
    'window',
  ],
  'certificate.revoked': ['attempt', 'certificateId', 'directoryUrl', 'domainId'],
  'certificate.revocation_failed': ['attempt', 'certificateId', 'directoryUrl', 'domainId', 'problem'],
  'revocation_list.checked': ['attempt', 'certificateId', 'detail', 'domainId', 'result'],
  'certificate.served': ['attempt', 'domainId', 'generation', 'leafSha256'],
  'certificate.not_served': ['attempt', 'domainId', 'generation', 'seen'],
  'account.ready': ['accountUrl', 'directoryUrl', 'thumbprint'],
  'accounts.announced': ['accounts', 'workerId'],
  'webhook.attempted': ['at', 'attempt', 'deliveryId', 'durationMs', 'retryAt', 'status'],
};

const schemas = {
  ...domainEvents,
  ...Object.fromEntries(Object.entries({ ...domainJobs, ...webhookJobs }).map(([name, { schema }]) => [name, schema])),
};

describe('redactPayload', () => {
  it('leaves the listed members of each payload, and no others', () => {
    const found = Object.entries(schemas).map(([name, { shape }]) => {
      const payload = Object.fromEntries(Object.keys(shape).map((member) => [member, `the ${member}`]));
      const redacted = Object.entries(redactPayload(name, payload) as object); // it was given one
      const members = redacted.filter(([member, value]) => value === `the ${member}`).map(([member]) => member);
      return [name, members.sort()];
    });
    expect(Object.fromEntries(found)).toEqual(visible);
  });

  it('hides values, but not that a member is null', () => {
    expect(redactPayload('webhook.attempted', { status: 200, error: null, bodyStart: 'ok' })).toEqual({
      status: 200,
      error: null,
      bodyStart: '(hidden)',
    });
  });

  it.each([null, undefined, 'text', 7])('leaves %p as it is', (payload) => {
    expect(redactPayload('deliver-webhook', payload)).toBe(payload);
  });
});
