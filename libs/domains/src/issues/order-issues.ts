import { checkedAt, subdomain } from './names.example.js';
import { nameText, text, type IssueEntries } from './issue-entry.js';

/** Issues of an order of a certificate, from its first check until the edges serve the certificate. */
export const orderIssues = {
  http_unreachable: {
    severity: 'error',
    area: 'certificate',
    blocking: true,
    resolvesAutomatically: false,
    title: 'not reachable',
    meaning:
      'DNS and CAA are correct, but the HTTP challenge path that the certificate authority requests does not answer.',
    message: (e) => `The HTTP challenge path of ${nameText(e.name)} could not be fetched: ${text(e.errors)}.`,
    remediation: () =>
      'Make sure that requests for the name reach us on port 80. A firewall, a stale AAAA record or a proxy may block them.',
    example: { name: subdomain, errors: ['198.51.100.7: no answer within 3000 ms'] },
  },
  challenge_not_published: {
    severity: 'warning',
    area: 'certificate',
    blocking: true,
    resolvesAutomatically: true,
    title: 'challenge not published',
    meaning: 'Our own name server did not take the answer to a challenge, or not all of its secondaries have it.',
    message: (e) => `Our name server did not publish the answer to the challenge: ${text(e.error)}.`,
    remediation: () => 'No action is needed: we try again automatically.',
    example: { error: 'the name server 192.0.2.9:53 did not reply within 5000 ms' },
  },
  ca_refused: {
    severity: 'error',
    area: 'certificate',
    blocking: true,
    resolvesAutomatically: false,
    title: 'certificate refused',
    meaning: 'The certificate authority refused the order, the challenge or the name.',
    message: (e) => `The certificate authority refused the request: ${text(e.detail)}`,
    remediation: () =>
      'Check that the domain still verifies and that CAA records do not block the certificate authority, then click Re-verify certificate.',
    example: {
      detail: 'The name is on a list of blocked names',
      type: 'urn:ietf:params:acme:error:rejectedIdentifier',
    },
  },
  ca_rate_limited: {
    severity: 'warning',
    area: 'certificate',
    blocking: true,
    resolvesAutomatically: true,
    title: 'rate limit reached',
    meaning: 'The certificate authority temporarily accepts no more orders.',
    message: (e) => `The certificate authority’s rate limit has been reached: ${text(e.detail)}`,
    remediation: (e) => `No action is needed: we try again automatically at ${text(e.until)}.`,
    example: { detail: 'too many certificates for example.com', until: '2026-11-02T12:00:00.000Z' },
  },
  certificate_queued: {
    severity: 'info',
    area: 'certificate',
    blocking: true,
    resolvesAutomatically: true,
    title: 'certificate order queued',
    meaning:
      'Orders of the service that came before have to be placed first, within the limits of the certificate authority.',
    message: (e) =>
      `The certificate order is queued at the certificate authority: ${text(e.before)} before yours; about ${text(e.wait)}.`,
    remediation: () => 'No action is needed: we request it automatically.',
    example: { before: '142 orders are', wait: '40 minutes', expectedAt: '2026-11-02T09:50:00.000Z' },
  },
  certificate_pending: {
    severity: 'info',
    area: 'certificate',
    blocking: true,
    resolvesAutomatically: true,
    title: 'certificate being issued',
    meaning: 'The certificate authority has accepted the request for a certificate, and needs more time to issue it.',
    message: (e) =>
      `The certificate authority ${nameText(e.authority)} accepted the request at ${text(e.since)} and has not finished it yet.`,
    remediation: () => 'No action is needed: we fetch the certificate as soon as it is issued.',
    example: { authority: 'ca.example', since: checkedAt },
  },
  ca_unavailable: {
    severity: 'warning',
    area: 'certificate',
    blocking: true,
    resolvesAutomatically: true,
    title: 'CA not available',
    meaning: 'The certificate authority could not be reached, or failed.',
    message: (e) => `The certificate authority is not available: ${text(e.detail)}`,
    remediation: (e) =>
      e.until === undefined
        ? 'No action is needed: we try again automatically.'
        : `No action is needed: we try again automatically, but not before ${text(e.until)}, as the certificate authority requests.`,
    example: { detail: 'the CA at ca.example cannot be reached: ECONNREFUSED' },
  },
  not_served_yet: {
    severity: 'info',
    area: 'certificate',
    blocking: true,
    resolvesAutomatically: true,
    title: 'not served everywhere yet',
    meaning: 'The certificate has been issued, but an edge does not serve it yet.',
    message: (e) => `The certificate has been issued, but not every edge serves it yet: ${text(e.seen)}.`,
    remediation: () => 'No action is needed: we check again automatically.',
    example: { seen: ['edge-1: no certificate was presented'] },
  },
} satisfies IssueEntries;
