import type { DomainIssue } from '@pets/contracts';

type Evidence = DomainIssue['evidence'];

/** Writes the texts of the issues about automatic certificates. @param text and @param nameText as in `issues.ts` */
export function certificateTexts(
  text: (value: Evidence[string] | undefined) => string,
  nameText: (value: Evidence[string] | undefined) => string,
) {
  return {
    ca_refused: {
      severity: 'error',
      message: (e: Evidence) => `The certificate authority refused the request: ${text(e.detail)}`,
      remediation: () =>
        'Check that the domain still verifies and that CAA records do not block the certificate authority, then click Re-verify certificate.',
    },
    ca_rate_limited: {
      severity: 'warning',
      message: (e: Evidence) => `The certificate authority’s rate limit has been reached: ${text(e.detail)}`,
      remediation: (e: Evidence) => `No action is needed: we try again automatically at ${text(e.until)}.`,
    },
    certificate_queued: {
      severity: 'info',
      message: (e: Evidence) =>
        `The certificate order is queued at the certificate authority: ${text(e.before)} before yours; about ${text(e.wait)}.`,
      remediation: () => 'No action is needed: we request it automatically.',
    },
    certificate_pending: {
      severity: 'info',
      message: (e: Evidence) =>
        `The certificate authority ${nameText(e.authority)} accepted the request at ${text(e.since)} and has not finished it yet.`,
      remediation: () => 'No action is needed: we fetch the certificate as soon as it is issued.',
    },
    ca_unavailable: {
      severity: 'warning',
      message: (e: Evidence) => `The certificate authority is not available: ${text(e.detail)}`,
      remediation: (e: Evidence) =>
        e.until === undefined
          ? 'No action is needed: we try again automatically.'
          : `No action is needed: we try again automatically, but not before ${text(e.until)}, as the certificate authority requests.`,
    },
    not_served_yet: {
      severity: 'info',
      message: (e: Evidence) => `The certificate has been issued, but not every edge serves it yet: ${text(e.seen)}.`,
      remediation: () => 'No action is needed: we check again automatically.',
    },
    certificate_overdue: {
      severity: 'error',
      message: (e: Evidence) => `${nameText(e.name)} was verified at ${text(e.since)} and still has no certificate.`,
      remediation: () =>
        'Confirm that the domain still verifies; check that CAA records at your DNS provider do not block the certificate ' +
        'authority; then click Re-verify certificate.',
    },
    renewal_at_risk: {
      severity: 'warning',
      message: (e: Evidence) =>
        `The certificate of ${nameText(e.name)} cannot be renewed at present. It is valid until ${text(e.until)}.`,
      remediation: () => 'Fix the other issues reported for this domain. We try again automatically.',
    },
    certificate_expiring: {
      severity: 'error',
      message: (e: Evidence) =>
        `The certificate of ${nameText(e.name)} expires at ${text(e.until)} and has not been renewed yet.`,
      remediation: () =>
        'Fix the other issues reported for this domain soon: without a new certificate, browsers will refuse to open the site.',
    },
    certificate_expired: {
      severity: 'error',
      message: (e: Evidence) =>
        `The certificate of ${nameText(e.name)} expired at ${text(e.until)}: browsers refuse to open the site.`,
      remediation: () => 'Fix the other issues reported for this domain. We request a new certificate automatically.',
    },
  } as const;
}
