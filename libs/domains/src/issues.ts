import type { DomainIssue, IssueCode } from '@pets/contracts';
import { cutList, cutText } from './dns/cut-text.js';
import { displayNameOf } from './names/display-name.js';

type Evidence = DomainIssue['evidence'];
/** Of one piece of evidence that is a text: a chain of eight names, a CA's explanation. */
const MAX_TEXT_BYTES = 1_024;

interface IssueText {
  readonly severity: DomainIssue['severity'];
  readonly message: (evidence: Evidence) => string;
  readonly remediation: (evidence: Evidence) => string;
}

const text = (value: Evidence[string] | undefined): string =>
  cutText(Array.isArray(value) ? value.join(', ') : String(value ?? 'unknown'));

/** Names, for people; the evidence has them as DNS does. */
const nameText = (value: Evidence[string] | undefined): string =>
  typeof value === 'string' ? cutText(displayNameOf(value), MAX_TEXT_BYTES) : text(value);

/** A chain of names. */
const chainText = (value: Evidence[string] | undefined): string =>
  typeof value === 'string' ? cutText(value.split(' → ').map(displayNameOf).join(' → '), MAX_TEXT_BYTES) : text(value);

/** A sentence more where the evidence explains the mistake. */
const hint = (e: Evidence): string => (e.hint === undefined ? '' : ` ${text(e.hint)}`);
const until = (e: Evidence, sentence: (time: string) => string): string =>
  e.expectedBy === undefined ? '' : ` ${sentence(text(e.expectedBy))}`;

/** What a wildcard answers with is not the name's own, and need not go. */
const remove = (e: Evidence, records: string): string =>
  e.wildcard === undefined ? `Remove ${records} and create` : `Create for ${nameText(e.name)} itself`;

/** What a publisher reads for each issue: what was seen, and what to do about it. */
const texts: Record<IssueCode, IssueText> = {
  no_record: {
    severity: 'info',
    message: (e) => `No DNS record for ${nameText(e.name)} was found yet.`,
    remediation: (e) =>
      `Create the record that points ${nameText(e.name)} to ${text(e.expected)} at your DNS provider. It is looked for by itself.` +
      hint(e) +
      until(e, (time) => `Resolvers may remember until ${time} that there is none.`),
  },
  cname_mismatch: {
    severity: 'error',
    message: (e) => `${nameText(e.name)} is a CNAME to ${chainText(e.seen)}, not to ${text(e.expected)}.${hint(e)}`,
    remediation: (e) =>
      e.wildcard === undefined
        ? `Change the value of the CNAME record to exactly ${text(e.expected)}.`
        : `Create a CNAME record for ${nameText(e.name)} itself, to exactly ${text(e.expected)}.`,
  },
  conflicting_a: {
    severity: 'error',
    message: (e) =>
      `${nameText(e.name)} has A records (${text(e.seen)}), which stand in the place of the CNAME.${hint(e)}`,
    remediation: (e) => `${remove(e, 'the A records')} a CNAME to ${text(e.expected)}.`,
  },
  conflicting_aaaa: {
    severity: 'error',
    message: (e) =>
      `${nameText(e.name)} has AAAA records (${text(e.seen)}), which stand in the place of the CNAME.${hint(e)}`,
    remediation: (e) => `${remove(e, 'the AAAA records')} a CNAME to ${text(e.expected)}.`,
  },
  conflicting_records: {
    severity: 'error',
    message: (e) =>
      `${nameText(e.name)} has other records (${text(e.seen)}) beside its CNAME, and a name with a CNAME can have no others: visitors may be sent to them.`,
    remediation: (e) =>
      `Remove these records: ${text(e.seen)}. Keep the CNAME to ${text(e.expected)}.` +
      until(e, (time) => `Resolvers may remember the removed records until ${time}.`),
  },
  proxied_by_cdn: {
    severity: 'error',
    message: (e) =>
      `${nameText(e.name)} leads to a proxy${e.proxy === undefined ? '' : ` of ${text(e.proxy)}`} (${chainText(e.seen)}).${hint(e)}`,
    remediation: (e) =>
      'Switch the proxy off for this record ("DNS only"), so that visitors and the certificate authority reach us. ' +
      `The record itself points to ${text(e.expected)}.`,
  },
  apex_cname: {
    severity: 'error',
    message: (e) =>
      `${nameText(e.name)} is the apex of its zone and carries a CNAME to ${chainText(e.seen)}.${hint(e)}`,
    remediation: (e) => `Replace it by an ALIAS or ANAME record to ${text(e.expected)}.`,
  },
  apex_cname_to_us: {
    severity: 'warning',
    message: (e) =>
      `${nameText(e.name)} is the apex of its zone and has a CNAME record. It leads to us, but a CNAME hides the other records of the name, such as those for mail.`,
    remediation: (e) => `Replace the CNAME with an ALIAS or ANAME record to ${text(e.expected)}.`,
  },
  apex_not_pointing_here: {
    severity: 'error',
    message: (e) =>
      `${nameText(e.name)} resolves to ${text(e.seen)}, not to our addresses (${text(e.expected)}).${hint(e)}`,
    remediation: (e) =>
      `Set an ALIAS or ANAME record at the apex to ${text(e.target)} and remove the other address records.`,
  },
  ownership_txt_missing: {
    severity: 'error',
    message: (e) =>
      `The proof of ownership at ${nameText(e.name)} was not found.${e.seen === undefined ? '' : ` What is there: “${text(e.seen)}”.`}${hint(e)}`,
    remediation: (e) => `Create a TXT record at ${nameText(e.name)} with the value ${text(e.expected)}.`,
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
    message: (e) => `The CAA records at ${nameText(e.at)} (${text(e.records)}) do not allow our certificate authority.`,
    remediation: (e) =>
      e.blocking === undefined
        ? `Add this record: ${text(e.permitting)}`
        : `Remove what is marked critical and not generally known (${text(e.blocking)}), and let this record stand: ${text(e.permitting)}`,
  },
  caa_too_large: {
    severity: 'error',
    message: (e) =>
      `The CAA records at ${nameText(e.at)} are more than we read (${text(e.error)}), so we could not tell whether they allow our certificate authority.`,
    remediation: (e) =>
      `Remove the CAA records at ${nameText(e.at)} that you do not need. We check for it automatically.`,
  },
  claimed_elsewhere: {
    severity: 'error',
    message: (e) => `${nameText(e.name)} is in use by another organization.`,
    remediation: (e) =>
      e.proof === undefined
        ? 'Remove it there first. It is taken over here by itself at the next check.'
        : `If it is yours, prove it by the TXT record at ${nameText(e.proof)}, or have it removed there. It is taken over here by itself at the next check.`,
  },
  http_unreachable: {
    severity: 'error',
    message: (e) => `The challenge path of ${nameText(e.name)} could not be fetched: ${text(e.errors)}.`,
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
    message: (e) => `${nameText(e.name)} was verified at ${text(e.since)} and still has no certificate.`,
    remediation: () =>
      'Confirm that the domain still verifies; check that CAA records at your DNS provider do not block the certificate ' +
      'authority; then click Re-verify.',
  },
  renewal_at_risk: {
    severity: 'warning',
    message: (e) =>
      `The certificate of ${nameText(e.name)} could not be renewed as things are. It lasts until ${text(e.until)}.`,
    remediation: () => 'Mend what the other issues of this domain name. It is tried again by itself.',
  },
  certificate_expiring: {
    severity: 'error',
    message: (e) =>
      `The certificate of ${nameText(e.name)} expires at ${text(e.until)} and could not be renewed so far.`,
    remediation: () =>
      'Mend what the other issues of this domain name, soon: without a new certificate browsers will refuse the name.',
  },
  certificate_expired: {
    severity: 'error',
    message: (e) => `The certificate of ${nameText(e.name)} expired at ${text(e.until)}: browsers refuse the name.`,
    remediation: () => 'Mend what the other issues of this domain name. A new certificate is asked for by itself.',
  },
  dns_lost: {
    severity: 'warning',
    message: (e) => `${nameText(e.name)} no longer points here.`,
    remediation: (e) => `Restore the record that points ${nameText(e.name)} to ${text(e.expected)}.`,
  },
  dangling_record: {
    severity: 'warning',
    message: (e) => `${nameText(e.name)} was removed here, but its DNS record still points here (${text(e.expected)}).`,
    remediation: (e) =>
      `Remove the record that points ${nameText(e.name)} to ${text(e.expected)} at your DNS provider. Nobody is served by it.`,
  },
  plan_ended: {
    severity: 'warning',
    message: (e) =>
      `The plan of the organization no longer includes custom domains: ${nameText(e.name)} is suspended on ${text(e.until)}, ` +
      'and visitors get 410 from then on.',
    remediation: () => 'Upgrade the plan of the organization before then, or remove the domain.',
  },
  suspended: {
    severity: 'error',
    message: (e) => `${nameText(e.name)} is suspended since ${text(e.since)}: ${text(e.reason)}. Visitors get 410.`,
    remediation: (e) =>
      e.cause === 'plan'
        ? 'Upgrade the plan of the organization. The domain is served again at once.'
        : 'Contact the operator of the platform.',
  },
};

/** An issue with its sentences, from its code and what was seen. */
export function describeIssue(code: IssueCode, seen: Evidence): DomainIssue {
  const { severity, message, remediation } = texts[code];
  const evidence = Object.fromEntries(Object.entries(seen).map(([name, value]) => [name, shown(value)]));
  return { code, severity, message: message(evidence), remediation: remediation(evidence), evidence };
}

/** Names, errors and records come from strangers, and an issue goes into answers, history lines and webhooks. */
function shown(value: Evidence[string]): Evidence[string] {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? cutText(value, MAX_TEXT_BYTES) : cutList(value);
}
