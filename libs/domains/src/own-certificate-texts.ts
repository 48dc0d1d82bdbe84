import type { DomainIssue } from '@pets/contracts';

type Evidence = DomainIssue['evidence'];

/** Writes the texts of the issues about uploaded certificates. @param text and @param nameText as in `issues.ts` */
export function ownCertificateTexts(
  text: (value: Evidence[string] | undefined) => string,
  nameText: (value: Evidence[string] | undefined) => string,
) {
  return {
    own_certificate_expiring: {
      severity: 'warning',
      message: (e: Evidence) =>
        `The certificate that you uploaded for ${nameText(e.name)} expires at ${text(e.until)}.`,
      remediation: () =>
        'Upload its successor, or delete it to return to the automatic certificate. If nothing is uploaded in time, ' +
        'visitors get the automatic certificate, if there is one.',
    },
    own_certificate_expired: {
      severity: 'warning',
      message: (e: Evidence) =>
        `The certificate that you uploaded for ${nameText(e.name)} is no longer served: it ends at ${text(e.until)}.`,
      remediation: () => 'Upload its successor, or delete it: visitors get the automatic certificate, if there is one.',
    },
    own_certificate_revoked: {
      severity: 'error',
      message: (e: Evidence) =>
        `The certificate that you uploaded for ${nameText(e.name)} was revoked by ${text(e.issuer)}: we do not serve it.`,
      remediation: () =>
        'Upload a certificate with a new key, or delete it: visitors get the automatic certificate, if there is one.',
    },
  } as const;
}
