import { nameText, text } from './evidence-texts.js';
import { checkedAt, subdomain } from './names.example.js';
import type { IssueEntries } from './issue-entry.js';

/** Issues of an uploaded certificate. The automatic one is its fallback, so they block nothing. */
export const ownCertificateIssues = {
  own_certificate_expiring: {
    severity: 'warning',
    area: 'certificate',
    blocking: false,
    resolvesAutomatically: false,
    title: 'uploaded certificate ends soon',
    meaning:
      'A tenth of the lifetime of the uploaded certificate is left, at most 30 days. An hour before its end, the automatic ' +
      'certificate takes its place.',
    message: (e) => `The certificate that you uploaded for ${nameText(e.name)} expires at ${text(e.until)}.`,
    remediation: () =>
      'Upload its successor, or delete it to return to the automatic certificate. If nothing is uploaded in time, ' +
      'visitors get the automatic certificate, if there is one.',
    example: { name: subdomain, until: '2026-11-05T09:10:00.000Z' },
  },
  own_certificate_expired: {
    severity: 'warning',
    area: 'certificate',
    blocking: false,
    resolvesAutomatically: false,
    title: 'uploaded certificate expired',
    meaning:
      'The uploaded certificate has ended, and its key was deleted. The automatic certificate is served, if it exists.',
    message: (e) =>
      `The certificate that you uploaded for ${nameText(e.name)} is no longer served: it ends at ${text(e.until)}.`,
    remediation: () => 'Upload its successor, or delete it: visitors get the automatic certificate, if there is one.',
    example: { name: subdomain, until: checkedAt },
  },
  own_certificate_revoked: {
    severity: 'error',
    area: 'certificate',
    blocking: false,
    resolvesAutomatically: false,
    title: 'uploaded certificate revoked',
    meaning:
      'The revocation list of its certificate authority names the uploaded certificate. Nobody gets it any more.',
    message: (e) =>
      `The certificate that you uploaded for ${nameText(e.name)} was revoked by ${text(e.issuer)}: we do not serve it.`,
    remediation: () =>
      'Upload a certificate with a new key, or delete it: visitors get the automatic certificate, if there is one.',
    example: { name: subdomain, issuer: 'Example Issuing CA' },
  },
} satisfies IssueEntries;
