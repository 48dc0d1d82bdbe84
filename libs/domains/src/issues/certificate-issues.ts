import { nameText, text } from './evidence-texts.js';
import { checkedAt, subdomain, targetHost } from './names.example.js';
import type { IssueEntries } from './issue-entry.js';

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
