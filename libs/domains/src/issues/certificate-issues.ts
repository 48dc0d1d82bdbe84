import { nameText, text, type IssueEntries } from './issue-entry.js';
import { apex, checkedAt, subdomain, targetHost } from './names.example.js';

/** Issues of the CAA records, which say who may issue certificates. */
export const caaIssues = {
  caa_forbids: {
    severity: 'error',
    area: 'certificate',
    blocking: true,
    resolvesAutomatically: false,
    title: 'blocked by CAA',
    meaning: 'CAA records do not allow our certificate authority to issue.',
    message: (e) => `The CAA records at ${nameText(e.at)} (${text(e.records)}) do not allow our certificate authority.`,
    cause: (e) => `The CAA records of ${nameText(e.at)} do not allow our certificate authority to issue a certificate.`,
    remediation: (e) =>
      e.blocking === undefined
        ? `Add this record: ${text(e.permitting)}`
        : `Remove the critical records that certificate authorities do not recognize (${text(e.blocking)}), and make sure that this record exists: ${text(e.permitting)}`,
    example: {
      at: apex,
      records: ['0 issue "other-ca.example"'],
      permitting: 'example.com. CAA 0 issue "letsencrypt.org"',
    },
  },
  caa_too_large: {
    severity: 'error',
    area: 'certificate',
    blocking: true,
    resolvesAutomatically: false,
    title: 'CAA not readable',
    meaning: 'The CAA records are too large to read, so we could not check what they allow.',
    message: (e) =>
      `The CAA records at ${nameText(e.at)} are too large to read (${text(e.error)}), so we could not check whether they allow our certificate authority.`,
    remediation: (e) =>
      `Remove the CAA records at ${nameText(e.at)} that you do not need. We check again automatically.`,
    example: { at: apex, error: '150 records of 9750 bytes' },
  },
  caa_unanswered: {
    severity: 'error',
    area: 'certificate',
    blocking: true,
    resolvesAutomatically: false,
    title: 'CAA not answered',
    meaning: 'For an hour, name servers have not answered whether there are CAA records.',
    message: (e) =>
      `The CAA records at ${nameText(e.at)} have not been readable since ${text(e.since)} (${text(e.servers)}). Certificate authorities issue no certificate without an answer, which may be that there are none.`,
    remediation: (e) =>
      `Have your DNS provider make the name servers answer questions for the CAA records of ${nameText(e.at)}. We check again automatically.`,
    example: { at: apex, servers: ['192.0.2.54:53: SERVFAIL'], since: '2026-11-02T08:10:00.000Z' },
  },
} satisfies IssueEntries;

/** Issues of the age of the automatic certificate: it is late, or its end is near. */
export const certificateIssues = {
  certificate_overdue: {
    severity: 'error',
    area: 'certificate',
    blocking: true,
    resolvesAutomatically: false,
    title: 'certificate overdue',
    meaning: 'Half an hour after verification, the domain still has no certificate.',
    message: (e) => `${nameText(e.name)} was verified at ${text(e.since)} and still has no certificate.`,
    remediation: () =>
      'Confirm that the domain still verifies; check that CAA records at your DNS provider do not block the certificate ' +
      'authority; then click Re-verify certificate.',
    example: { name: subdomain, since: checkedAt },
  },
  renewal_at_risk: {
    severity: 'warning',
    area: 'certificate',
    blocking: false,
    resolvesAutomatically: false,
    title: 'renewal at risk',
    meaning: 'Half of the certificate’s lifetime is over, and something prevents its renewal.',
    message: (e) =>
      `The certificate of ${nameText(e.name)} cannot be renewed at present. It is valid until ${text(e.until)}.`,
    remediation: () => 'Fix the other issues reported for this domain. We try again automatically.',
    example: { name: subdomain, until: '2026-12-24T09:10:00.000Z' },
  },
  renewal_stopped: {
    severity: 'warning',
    area: 'certificate',
    blocking: false,
    resolvesAutomatically: false,
    title: 'renewal stopped',
    meaning: 'The name was live, has pointed elsewhere for 30 days, and its certificate was issued by DNS-01.',
    message: (e) =>
      `${nameText(e.name)} has pointed elsewhere since ${text(e.since)}, so its certificate is no longer renewed.`,
    remediation: (e) =>
      `Restore the record that points ${nameText(e.name)} to ${text(e.expected)}, or remove the domain.`,
    example: { name: subdomain, expected: targetHost, since: '2026-10-03T09:10:00.000Z' },
  },
  certificate_expiring: {
    severity: 'error',
    area: 'certificate',
    blocking: false,
    resolvesAutomatically: false,
    title: 'certificate expires soon',
    meaning: 'A tenth of the certificate’s lifetime is left, and it has not been renewed.',
    message: (e) => `The certificate of ${nameText(e.name)} expires at ${text(e.until)} and has not been renewed yet.`,
    remediation: () =>
      'Fix the other issues reported for this domain soon: without a new certificate, browsers will refuse to open the site.',
    example: { name: subdomain, until: '2026-11-05T09:10:00.000Z' },
  },
  certificate_expired: {
    severity: 'error',
    area: 'certificate',
    blocking: false,
    resolvesAutomatically: false,
    title: 'certificate expired',
    meaning: 'The certificate has expired. The domain stays live, and we keep trying to renew the certificate.',
    message: (e) =>
      `The certificate of ${nameText(e.name)} expired at ${text(e.until)}: browsers refuse to open the site.`,
    remediation: () => 'Fix the other issues reported for this domain. We request a new certificate automatically.',
    example: { name: subdomain, until: checkedAt },
  },
} satisfies IssueEntries;

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
