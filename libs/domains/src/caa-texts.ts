import type { DomainIssue } from '@pets/contracts';

type Evidence = DomainIssue['evidence'];

/** Writes the texts of the issues about CAA records. @param text and @param nameText as in `issues.ts` */
export function caaTexts(
  text: (value: Evidence[string] | undefined) => string,
  nameText: (value: Evidence[string] | undefined) => string,
) {
  return {
    caa_forbids: {
      severity: 'error',
      message: (e: Evidence) =>
        `The CAA records at ${nameText(e.at)} (${text(e.records)}) do not allow our certificate authority.`,
      remediation: (e: Evidence) =>
        e.blocking === undefined
          ? `Add this record: ${text(e.permitting)}`
          : `Remove the critical records that certificate authorities do not recognize (${text(e.blocking)}), and make sure that this record exists: ${text(e.permitting)}`,
    },
    caa_too_large: {
      severity: 'error',
      message: (e: Evidence) =>
        `The CAA records at ${nameText(e.at)} are too large to read (${text(e.error)}), so we could not check whether they allow our certificate authority.`,
      remediation: (e: Evidence) =>
        `Remove the CAA records at ${nameText(e.at)} that you do not need. We check again automatically.`,
    },
    caa_unanswered: {
      severity: 'error',
      message: (e: Evidence) =>
        `The CAA records at ${nameText(e.at)} have not been readable since ${text(e.since)} (${text(e.servers)}). Certificate authorities issue no certificate without an answer, which may be that there are none.`,
      remediation: (e: Evidence) =>
        `Have your DNS provider make the name servers answer questions for the CAA records of ${nameText(e.at)}. We check again automatically.`,
    },
  } as const;
}
