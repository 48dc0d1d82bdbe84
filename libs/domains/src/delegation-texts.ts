import type { DomainIssue } from '@pets/contracts';

type Evidence = DomainIssue['evidence'];
type Text = (value: Evidence[string] | undefined) => string;

/** Writes the texts of the issues about delegated challenges. @param text and @param nameText and @param hint as in `issues.ts` */
export function delegationTexts(text: Text, nameText: Text, hint: (evidence: Evidence) => string) {
  return {
    delegation_missing: {
      severity: 'error',
      message: (e: Evidence) =>
        `The CNAME record of ${nameText(e.host)} to ${text(e.expected)} was not found. Without it, certificate authorities issue no certificate for ${nameText(e.name)}.${e.seen === undefined ? '' : ` Found instead: ${text(e.seen)}.`}${hint(e)}`,
      remediation: (e: Evidence) =>
        e.seen === undefined
          ? `At your DNS provider, create the CNAME record of ${nameText(e.host)} to exactly ${text(e.expected)}. We check for it automatically.`
          : `Change the value of the CNAME record of ${nameText(e.host)} to exactly ${text(e.expected)}.`,
    },
    delegation_mismatch: {
      severity: 'info',
      message: (e: Evidence) =>
        `${nameText(e.host)} is a CNAME to ${text(e.seen)}, not to ${text(e.expected)}, so the certificate cannot be issued before ${nameText(e.name)} points here.${hint(e)}`,
      remediation: (e: Evidence) =>
        `To get the certificate before you switch, change the value of that CNAME record to exactly ${text(e.expected)}. Otherwise nothing needs to be done.`,
    },
    delegation_shadowed: {
      severity: 'error',
      message: (e: Evidence) =>
        `The CNAME record of ${nameText(e.host)} is correct, but ${e.seen === undefined ? 'the name servers do not return it' : `a TXT record at the same name (${text(e.seen)}) hides it`}: certificate authorities ask for TXT, so no certificate for ${nameText(e.name)} can be issued with it.`,
      remediation: (e: Evidence) =>
        (e.seen === undefined
          ? `Turn flattening off for ${nameText(e.host)}, so that its CNAME itself is returned.`
          : `Remove the TXT record of ${nameText(e.host)} and keep the CNAME.`) +
        ' Cloudflare adds such records without showing them: disable Universal SSL for the zone there.',
    },
    delegation_propagating: {
      severity: 'info',
      message: (e: Evidence) =>
        `Some name servers have the CNAME record of ${nameText(e.host)}; others (${text(e.stale)}) do not have it yet.`,
      remediation: () => 'Wait for the change to spread. We check again automatically.',
    },
    delegation_lost: {
      severity: 'warning',
      message: (e: Evidence) =>
        `The CNAME record of ${nameText(e.host)} no longer points to ${text(e.expected)}, so the certificate of ${nameText(e.name)} cannot be renewed while the name points elsewhere.`,
      remediation: (e: Evidence) =>
        `Restore the CNAME record of ${nameText(e.host)} to ${text(e.expected)}, or point ${nameText(e.name)} here.`,
    },
    preparation_expired: {
      severity: 'warning',
      message: (e: Evidence) =>
        `${nameText(e.name)} has been prepared for a switch since ${text(e.since)} and still points elsewhere, so its certificate is no longer renewed.`,
      remediation: (e: Evidence) =>
        `Point ${nameText(e.name)} to ${text(e.expected)}, or request a DNS check to continue the preparation. Remove the domain if you do not need it.`,
    },
    renewal_stopped: {
      severity: 'warning',
      message: (e: Evidence) =>
        `${nameText(e.name)} has pointed elsewhere since ${text(e.since)}, so its certificate is no longer renewed.`,
      remediation: (e: Evidence) =>
        `Restore the record that points ${nameText(e.name)} to ${text(e.expected)}, or remove the domain.`,
    },
    challenge_not_published: {
      severity: 'warning',
      message: (e: Evidence) => `Our name server did not publish the answer to the challenge: ${text(e.error)}.`,
      remediation: () => 'No action is needed: we try again automatically.',
    },
  } as const;
}
