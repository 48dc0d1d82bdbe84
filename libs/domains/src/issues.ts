import type { DomainIssue, IssueCode } from '@pets/contracts';
import { delegationTexts } from './delegation-texts.js';
import { caaTexts } from './caa-texts.js';
import { truncateList, truncateText } from './dns/truncate.js';
import { MAX_NAME_LENGTH } from './names/required-hosts.js';
import { displayNameOf } from './names/unicode-name.js';
import { certificateTexts } from './certificate-texts.js';
import { ownCertificateTexts } from './own-certificate-texts.js';

type Evidence = DomainIssue['evidence'];
/** Limit of a single text in the evidence: a chain of eight names, or the error detail of a CA. */
const MAX_TEXT_BYTES = 1_024;

interface IssueText {
  readonly severity: DomainIssue['severity'];
  readonly message: (evidence: Evidence) => string;
  readonly remediation: (evidence: Evidence) => string;
}

const text = (value: Evidence[string] | undefined): string =>
  truncateText(Array.isArray(value) ? value.join(', ') : String(value ?? 'unknown'));

/** A name in Unicode for people; the evidence keeps it as DNS has it. */
const nameText = (value: Evidence[string] | undefined): string =>
  typeof value === 'string' ? truncateText(displayNameOf(value), MAX_TEXT_BYTES) : text(value);

/** A chain of names, for people. */
const chainText = (value: Evidence[string] | undefined): string =>
  typeof value === 'string'
    ? truncateText(value.split(' → ').map(displayNameOf).join(' → '), MAX_TEXT_BYTES)
    : text(value);

/** The explanation of a usual mistake, where the evidence has one. */
const hint = (e: Evidence): string => (e.hint === undefined ? '' : ` ${text(e.hint)}`);
const until = (e: Evidence, sentence: (time: string) => string): string =>
  e.expectedBy === undefined ? '' : ` ${sentence(text(e.expectedBy))}`;

/** The address records that may take the place of an ALIAS. */
const orAddresses = (e: Evidence): string =>
  e.addressRecords === undefined
    ? ''
    : ` If your DNS provider has no such record, create these instead, all of them: ${text(e.addressRecords)}.`;

/** Where a wildcard record answers, the name needs a record of its own; the wildcard may stay. */
const createCname = (e: Evidence): string =>
  `Create a CNAME record for ${nameText(e.name)} itself, to exactly ${text(e.expected)}.`;

/** The texts that the owner of the domain reads for each issue: what happened, and what to do. */
const texts: Record<IssueCode, IssueText> = {
  no_record: {
    severity: 'info',
    message: (e) => `No DNS record for ${nameText(e.name)} was found yet.`,
    remediation: (e) =>
      `At your DNS provider, create the record that points ${nameText(e.name)} to ${text(e.expected)}. We check for it automatically.` +
      orAddresses(e) +
      hint(e) +
      until(e, (time) => `Resolvers may cache the missing record until ${time}.`),
  },
  entered_with_zone: {
    severity: 'error',
    message: (e) =>
      `The record was created at ${nameText(e.seen)}: its name contains the zone twice. ${nameText(e.name)} itself has no record.`,
    remediation: (e) =>
      `At your DNS provider, change the name of that record to ${text(e.entered)}, without the zone. Its value is ${text(e.expected)}.`,
  },
  cname_mismatch: {
    severity: 'error',
    message: (e) => `${nameText(e.name)} is a CNAME to ${chainText(e.seen)}, not to ${text(e.expected)}.${hint(e)}`,
    remediation: (e) =>
      e.wildcard === undefined
        ? `Change the value of the CNAME record to exactly ${text(e.expected)}.`
        : createCname(e),
  },
  conflicting_a: {
    severity: 'error',
    message: (e) => `${nameText(e.name)} has A records (${text(e.seen)}), which conflict with the CNAME.${hint(e)}`,
    remediation: (e) =>
      e.wildcard === undefined ? `Remove the A records and create a CNAME to ${text(e.expected)}.` : createCname(e),
  },
  conflicting_aaaa: {
    severity: 'error',
    message: (e) => `${nameText(e.name)} has AAAA records (${text(e.seen)}), which conflict with the CNAME.${hint(e)}`,
    remediation: (e) =>
      e.wildcard === undefined ? `Remove the AAAA records and create a CNAME to ${text(e.expected)}.` : createCname(e),
  },
  conflicting_records: {
    severity: 'error',
    message: (e) =>
      `${nameText(e.name)} has other records (${text(e.seen)}) besides its CNAME. A name with a CNAME must not have other records: they may receive some of the visitors.`,
    remediation: (e) =>
      `Remove these records: ${text(e.seen)}. Keep the CNAME to ${text(e.expected)}.` +
      until(e, (time) => `Resolvers may cache the removed records until ${time}.`),
  },
  proxied_by_cdn: {
    severity: 'error',
    message: (e) =>
      `${nameText(e.name)} points to a proxy${e.proxy === undefined ? '' : ` of ${text(e.proxy)}`} (${chainText(e.seen)}).${hint(e)}`,
    remediation: (e) =>
      'Turn the proxy off for this record ("DNS only"), so that visitors and the certificate authority reach us. ' +
      `The record itself must point to ${text(e.expected)}.`,
  },
  apex_cname: {
    severity: 'error',
    message: (e) => `${nameText(e.name)} is the apex of its zone and has a CNAME to ${chainText(e.seen)}.${hint(e)}`,
    remediation: (e) => `Replace it with an ALIAS or ANAME record to ${text(e.expected)}.${orAddresses(e)}`,
  },
  apex_cname_to_us: {
    severity: 'warning',
    message: (e) =>
      `${nameText(e.name)} is the apex of its zone and has a CNAME record. It points to us, but a CNAME hides the other records of the name, such as those for mail.`,
    remediation: (e) => `Replace the CNAME with an ALIAS or ANAME record to ${text(e.expected)}.${orAddresses(e)}`,
  },
  apex_not_pointing_here: {
    severity: 'error',
    message: (e) =>
      e.addressRecords === undefined
        ? `${nameText(e.name)} resolves to ${text(e.seen)}. Resolvers have other addresses for ${text(e.target)}: ${text(e.expected)}.${hint(e)}`
        : `${nameText(e.name)} resolves to ${text(e.seen)}, not to our addresses (${text(e.expected)}).${hint(e)}`,
    remediation: (e) =>
      `Create an ALIAS or ANAME record at the apex that points to ${text(e.target)}, and remove the other address records.${orAddresses(e)}`,
  },
  flattened: {
    severity: 'info',
    message: (e) =>
      `${nameText(e.name)} shows our addresses instead of the CNAME to ${text(e.expected)}: its DNS provider resolves the CNAME itself (flattening, ALIAS).`,
    remediation: (e) =>
      `No action is needed. If the zone has A or AAAA records of ${nameText(e.name)} that you entered yourself, replace them with the CNAME: our addresses may change.`,
  },
  address_retiring: {
    severity: 'warning',
    message: (e) =>
      `${nameText(e.name)} shows an address of ours that will stop answering: ${text(e.seen)}. It still works now.`,
    remediation: (e) =>
      `At your DNS provider, remove ${text(e.seen)} and create a record of the type ${text(e.record)} that points to ${text(e.expected)}.${orAddresses(e)}`,
  },
  ownership_txt_of_others: {
    severity: 'warning',
    message: (e) =>
      `The TXT record at ${nameText(e.host)} has a value that belongs to another organization: ${text(e.seen)}. Because ${nameText(e.name)} shows only our addresses, that organization can take the name over.`,
    remediation: (e) =>
      `Remove that value at ${nameText(e.host)}, unless the name is to move to that organization. Your own value may stay.`,
  },
  ownership_txt_missing: {
    severity: 'error',
    message: (e) =>
      e.length !== undefined
        ? `The TXT record that would prove ownership is impossible: its name, ${nameText(e.name)}, would have ${text(e.length)} characters, and DNS allows ${MAX_NAME_LENGTH}.`
        : `The TXT record that proves ownership was not found at ${nameText(e.name)}.${e.seen === undefined ? '' : ` Found instead: “${text(e.seen)}”.`}${hint(e)}`,
    remediation: (e) =>
      e.length !== undefined
        ? 'Create a CNAME record that is not flattened, or use a shorter name: addresses prove nothing without the TXT record.'
        : `Create a TXT record at ${nameText(e.name)} with the value ${text(e.expected)}.`,
  },
  ...delegationTexts(text, nameText, hint),
  resolver_failed: {
    severity: 'warning',
    message: (e) =>
      `The name servers gave no usable answer (${text(e.errors)}), so we could not check whether the records are correct.`,
    remediation: () =>
      'No action is needed if this is temporary: we try again automatically. Otherwise check that the zone’s name servers answer.',
  },
  dnssec_broken: {
    severity: 'error',
    message: (e) =>
      `The DNSSEC signatures of ${nameText(e.name)} are not valid (${text(e.seen)}), so visitors and certificate authorities whose resolvers check them get no answer.`,
    remediation: (e) =>
      `Remove the DS record of ${nameText(e.name)} at your registrar, or have your DNS provider sign the zone again. Certificates are ordered once the signatures are valid or gone.`,
  },
  propagating: {
    severity: 'info',
    message: (e) => `Some name servers show the new record; others (${text(e.stale)}) still answer with the old one.`,
    remediation: (e) =>
      'Wait for the change to spread. We check again automatically.' +
      until(e, (time) => `The last cached copy of the old record expires at ${time}.`),
  },
  ...caaTexts(text, nameText),
  claimed_elsewhere: {
    severity: 'error',
    message: (e) => `${nameText(e.name)} is in use by another organization.`,
    remediation: (e) =>
      e.proof === undefined
        ? 'Remove it there first. The next check moves it here automatically.'
        : `If it is yours, prove it with the TXT record at ${nameText(e.proof)}, or have it removed there. The next check moves it here automatically.`,
  },
  http_unreachable: {
    severity: 'error',
    message: (e) => `The HTTP challenge path of ${nameText(e.name)} could not be fetched: ${text(e.errors)}.`,
    remediation: () =>
      'Make sure that requests for the name reach us on port 80. A firewall, a stale AAAA record or a proxy may block them.',
  },
  ...certificateTexts(text, nameText),
  ...ownCertificateTexts(text, nameText),
  dns_lost: {
    severity: 'warning',
    message: (e) => `${nameText(e.name)} no longer points here.`,
    remediation: (e) => `Restore the record that points ${nameText(e.name)} to ${text(e.expected)}.`,
  },
  dangling_record: {
    severity: 'warning',
    message: (e) => `${nameText(e.name)} was removed here, but its DNS record still points here (${text(e.expected)}).`,
    remediation: (e) =>
      `At your DNS provider, remove the record that points ${nameText(e.name)} to ${text(e.expected)}. It no longer serves any traffic.`,
  },
  plan_ended: {
    severity: 'warning',
    message: (e) =>
      `The plan of the organization no longer includes custom domains: ${nameText(e.name)} will be suspended on ${text(e.until)}, ` +
      'and visitors will then get 410.',
    remediation: () => 'Upgrade the plan of the organization before then, or remove the domain.',
  },
  suspended: {
    severity: 'error',
    message: (e) =>
      `${nameText(e.name)} has been suspended since ${text(e.since)}: ${text(e.reason)}. Visitors get 410.`,
    remediation: (e) =>
      e.cause === 'plan'
        ? 'Upgrade the plan of the organization. The domain is then served again immediately.'
        : 'Contact the operator of the platform.',
  },
};

/**
 * Creates an issue from its code and evidence. Evidence is cut to a bounded size, since names, errors and records come from
 * strangers and an issue goes into answers, history entries and webhooks.
 */
export function describeIssue(code: IssueCode, seen: Evidence): DomainIssue {
  const { severity, message, remediation } = texts[code];
  const evidence = Object.fromEntries(Object.entries(seen).map(([name, value]) => [name, bounded(value)]));
  return { code, severity, message: message(evidence), remediation: remediation(evidence), evidence };
}

function bounded(value: Evidence[string]): Evidence[string] {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? truncateText(value, MAX_TEXT_BYTES) : truncateList(value);
}
