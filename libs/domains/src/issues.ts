import type { DomainIssue, IssueCode } from '@pets/contracts';

type Evidence = DomainIssue['evidence'];
interface IssueText {
  readonly severity: DomainIssue['severity'];
  readonly message: (evidence: Evidence) => string;
  readonly remediation: (evidence: Evidence) => string;
}

const text = (value: Evidence[string] | undefined): string =>
  Array.isArray(value) ? value.join(', ') : String(value ?? 'unknown');

/** A sentence more where the evidence explains the mistake. */
const hint = (e: Evidence): string => (e.hint === undefined ? '' : ` ${text(e.hint)}`);
const until = (e: Evidence, sentence: (time: string) => string): string =>
  e.expectedBy === undefined ? '' : ` ${sentence(text(e.expectedBy))}`;

/** What a wildcard answers with is not the name's own, and need not go. */
const remove = (e: Evidence, records: string): string =>
  e.wildcard === undefined ? `Remove ${records} and create` : `Create for ${text(e.name)} itself`;

/** What a publisher reads for each issue: what was seen, and what to do about it. */
const texts: Record<IssueCode, IssueText> = {
  no_record: {
    severity: 'info',
    message: (e) => `No DNS record for ${text(e.name)} was found yet.`,
    remediation: (e) =>
      `Create the record that points ${text(e.name)} to ${text(e.expected)} at your DNS provider. It is looked for by itself.` +
      hint(e) +
      until(e, (time) => `Resolvers may remember until ${time} that there is none.`),
  },
  cname_mismatch: {
    severity: 'error',
    message: (e) => `${text(e.name)} is a CNAME to ${text(e.seen)}, not to ${text(e.expected)}.${hint(e)}`,
    remediation: (e) =>
      e.wildcard === undefined
        ? `Change the value of the CNAME record to exactly ${text(e.expected)}.`
        : `Create a CNAME record for ${text(e.name)} itself, to exactly ${text(e.expected)}.`,
  },
  conflicting_a: {
    severity: 'error',
    message: (e) => `${text(e.name)} has A records (${text(e.seen)}), which stand in the place of the CNAME.${hint(e)}`,
    remediation: (e) => `${remove(e, 'the A records')} a CNAME to ${text(e.expected)}.`,
  },
  conflicting_aaaa: {
    severity: 'error',
    message: (e) =>
      `${text(e.name)} has AAAA records (${text(e.seen)}), which stand in the place of the CNAME.${hint(e)}`,
    remediation: (e) => `${remove(e, 'the AAAA records')} a CNAME to ${text(e.expected)}.`,
  },
  proxied_by_cdn: {
    severity: 'error',
    message: (e) =>
      `${text(e.name)} leads to a proxy${e.proxy === undefined ? '' : ` of ${text(e.proxy)}`} (${text(e.seen)}).${hint(e)}`,
    remediation: (e) =>
      'Switch the proxy off for this record ("DNS only"), so that visitors and the certificate authority reach us. ' +
      `The record itself points to ${text(e.expected)}.`,
  },
  apex_cname: {
    severity: 'error',
    message: (e) => `${text(e.name)} is the apex of its zone and carries a CNAME to ${text(e.seen)}.${hint(e)}`,
    remediation: (e) => `Replace it by an ALIAS or ANAME record to ${text(e.expected)}.`,
  },
  apex_not_pointing_here: {
    severity: 'error',
    message: (e) =>
      `${text(e.name)} resolves to ${text(e.seen)}, not to our addresses (${text(e.expected)}).${hint(e)}`,
    remediation: (e) =>
      `Set an ALIAS or ANAME record at the apex to ${text(e.target)} and remove the other address records.`,
  },
  ownership_txt_missing: {
    severity: 'error',
    message: (e) =>
      `The proof of ownership at ${text(e.name)} was not found.${e.seen === undefined ? '' : ` What is there: “${text(e.seen)}”.`}${hint(e)}`,
    remediation: (e) => `Create a TXT record at ${text(e.name)} with the value ${text(e.expected)}.`,
  },
  resolver_failed: {
    severity: 'warning',
    message: (e) =>
      `The name servers gave no usable answer (${text(e.errors)}), so it could not be told whether the records are right.`,
    remediation: () =>
      'Nothing, if this passes: it is tried again by itself. Otherwise check that the zone’s name servers answer.',
  },
  propagating: {
    severity: 'info',
    message: (e) => `Some name servers show the new record, others (${text(e.stale)}) still answer with the old one.`,
    remediation: (e) =>
      'Wait: the change is spreading. It is checked again by itself.' +
      until(e, (time) => `The last of them forgets the old record at ${time}.`),
  },
  caa_forbids: {
    severity: 'error',
    message: (e) => `The CAA records at ${text(e.at)} (${text(e.records)}) do not allow our certificate authority.`,
    remediation: (e) =>
      e.blocking === undefined
        ? `Add this record: ${text(e.permitting)}`
        : `Remove what is marked critical and not generally known (${text(e.blocking)}), and let this record stand: ${text(e.permitting)}`,
  },
  claimed_elsewhere: {
    severity: 'error',
    message: (e) => `${text(e.name)} is in use by another organization.`,
    remediation: (e) =>
      e.proof === undefined
        ? 'Remove it there first. It is taken over here by itself at the next check.'
        : `If it is yours, prove it by the TXT record at ${text(e.proof)}, or have it removed there. It is taken over here by itself at the next check.`,
  },
  http_unreachable: {
    severity: 'error',
    message: (e) => `The challenge path of ${text(e.name)} could not be fetched: ${text(e.errors)}.`,
    remediation: () =>
      'Make sure that nothing (a firewall, a stale AAAA record, a proxy) stands between the name and us on port 80.',
  },
  ca_refused: {
    severity: 'error',
    message: (e) => `The certificate authority refused: ${text(e.detail)}`,
    remediation: () =>
      'Check that the domain still verifies and that CAA records do not block the certificate authority, then click Re-verify.',
  },
  ca_rate_limited: {
    severity: 'warning',
    message: (e) => `The certificate authority’s rate limit is reached: ${text(e.detail)}`,
    remediation: (e) => `Nothing: the next attempt is made by itself at ${text(e.until)}.`,
  },
  ca_unavailable: {
    severity: 'warning',
    message: (e) => `The certificate authority could not be used: ${text(e.detail)}`,
    remediation: (e) =>
      e.until === undefined
        ? 'Nothing: it is tried again by itself.'
        : `Nothing: it is tried again by itself, not before ${text(e.until)}, as the certificate authority asks.`,
  },
  not_served_yet: {
    severity: 'info',
    message: (e) => `The certificate is there, but not every edge shows it yet: ${text(e.seen)}.`,
    remediation: () => 'Nothing: it is looked at again by itself.',
  },
  certificate_overdue: {
    severity: 'error',
    message: (e) => `${text(e.name)} was verified at ${text(e.since)} and still has no certificate.`,
    remediation: () =>
      'Confirm that the domain still verifies; check that CAA records at your DNS provider do not block the certificate ' +
      'authority; then click Re-verify.',
  },
  renewal_at_risk: {
    severity: 'warning',
    message: (e) =>
      `The certificate of ${text(e.name)} could not be renewed as things are. It lasts until ${text(e.until)}.`,
    remediation: () => 'Mend what the other issues of this domain name. It is tried again by itself.',
  },
  certificate_expiring: {
    severity: 'error',
    message: (e) => `The certificate of ${text(e.name)} expires at ${text(e.until)} and could not be renewed so far.`,
    remediation: () =>
      'Mend what the other issues of this domain name, soon: without a new certificate browsers will refuse the name.',
  },
  certificate_expired: {
    severity: 'error',
    message: (e) => `The certificate of ${text(e.name)} expired at ${text(e.until)}: browsers refuse the name.`,
    remediation: () => 'Mend what the other issues of this domain name. A new certificate is asked for by itself.',
  },
  dns_lost: {
    severity: 'warning',
    message: (e) => `${text(e.name)} no longer points here.`,
    remediation: (e) => `Restore the record that points ${text(e.name)} to ${text(e.expected)}.`,
  },
  dangling_record: {
    severity: 'warning',
    message: (e) => `${text(e.name)} was removed here, but its DNS record still points here (${text(e.expected)}).`,
    remediation: (e) =>
      `Remove the record that points ${text(e.name)} to ${text(e.expected)} at your DNS provider. Nobody is served by it.`,
  },
};

/** An issue with its sentences, from its code and what was seen. */
export function describeIssue(code: IssueCode, evidence: Evidence): DomainIssue {
  const { severity, message, remediation } = texts[code];
  return { code, severity, message: message(evidence), remediation: remediation(evidence), evidence };
}
