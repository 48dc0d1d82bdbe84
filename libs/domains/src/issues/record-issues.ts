import {
  chainText,
  createCname,
  hint,
  nameText,
  orAddresses,
  text,
  until,
  type Evidence,
  type IssueEntries,
} from './issue-entry.js';
import { apex, resolver, subdomain, targetHost } from './names.example.js';

const example = { name: subdomain, expected: targetHost, servers: [resolver] };

/** Issues of the records that point a name here. */
export const recordIssues = {
  no_record: {
    severity: 'info',
    area: 'dns',
    blocking: true,
    resolvesAutomatically: false,
    title: 'no DNS record yet',
    meaning: 'The name has no DNS record yet.',
    message: (e) => `No DNS record for ${nameText(e.name)} was found yet.`,
    cause: (e) => `${nameText(e.name)} has no DNS record yet.`,
    remediation: (e) =>
      `At your DNS provider, create the record that points ${nameText(e.name)} to ${text(e.expected)}. We check for it automatically.` +
      orAddresses(e) +
      hint(e) +
      until(e, (time) => `Resolvers may cache the missing record until ${time}.`),
    example: { ...example, expectedBy: '2026-11-02T09:25:00.000Z' },
  },
  entered_with_zone: {
    severity: 'error',
    area: 'dns',
    blocking: true,
    resolvesAutomatically: false,
    title: 'name entered twice',
    meaning:
      'The record exists, but at a name with the zone twice: the complete name was entered as the name of the record.',
    message: (e) =>
      `The record was created at ${nameText(e.seen)}: its name contains the zone twice. ${nameText(e.name)} itself has no record.`,
    cause: (e) =>
      `The record exists, but its name ends with the zone twice, so ${nameText(e.name)} has none. Your DNS provider adds the zone to the name that you enter.`,
    remediation: (e) =>
      `At your DNS provider, change the name of that record to ${text(e.entered)}, without the zone. Its value is ${text(e.expected)}.`,
    example: {
      name: subdomain,
      seen: 'docs.example.com.example.com',
      entered: 'docs',
      expected: targetHost,
      servers: [resolver],
    },
  },
  cname_mismatch: {
    severity: 'error',
    area: 'dns',
    blocking: true,
    resolvesAutomatically: false,
    title: 'wrong CNAME value',
    meaning:
      'The name is a CNAME to another host. Usual mistakes are explained: a typing error, a truncated value, an appended zone.',
    message: (e) => `${nameText(e.name)} is a CNAME to another host: ${chainText(e.seen)}.${hint(e)}`,
    cause: (e) => unlessWildcard(e, `The CNAME record of ${nameText(e.name)} points to another host.`),
    remediation: (e) =>
      e.wildcard === undefined
        ? `Change the value of the CNAME record to exactly ${text(e.expected)}.`
        : createCname(e),
    example: {
      name: subdomain,
      seen: `${targetHost}.example.com`,
      expected: targetHost,
      servers: [resolver],
      hint: 'The DNS provider appended the zone example.com: enter the value with a final dot.',
    },
  },
  conflicting_a: {
    severity: 'error',
    area: 'dns',
    blocking: true,
    resolvesAutomatically: false,
    title: 'conflicting A record',
    meaning: 'The name has A records instead of the CNAME.',
    message: (e) => `${nameText(e.name)} has A records (${text(e.seen)}), which conflict with the CNAME.${hint(e)}`,
    cause: (e) => unlessWildcard(e, `${nameText(e.name)} has A records where its CNAME should be.`),
    remediation: (e) =>
      e.wildcard === undefined ? `Remove the A records and create a CNAME to ${text(e.expected)}.` : createCname(e),
    example: { ...example, seen: ['203.0.113.7'] },
  },
  conflicting_aaaa: {
    severity: 'error',
    area: 'dns',
    blocking: true,
    resolvesAutomatically: false,
    title: 'conflicting AAAA record',
    meaning: 'The name has AAAA records instead of the CNAME.',
    message: (e) => `${nameText(e.name)} has AAAA records (${text(e.seen)}), which conflict with the CNAME.${hint(e)}`,
    cause: (e) => unlessWildcard(e, `${nameText(e.name)} has AAAA records where its CNAME should be.`),
    remediation: (e) =>
      e.wildcard === undefined ? `Remove the AAAA records and create a CNAME to ${text(e.expected)}.` : createCname(e),
    example: { ...example, seen: ['2001:db8::7'] },
  },
  conflicting_records: {
    severity: 'error',
    area: 'dns',
    blocking: true,
    resolvesAutomatically: false,
    title: 'conflicting records',
    meaning: 'The CNAME is correct, but address records at the same name conflict with it.',
    message: (e) =>
      `${nameText(e.name)} has other records (${text(e.seen)}) besides its CNAME. A name with a CNAME must not have other records: they may receive some of the visitors.`,
    cause: (e) => `${nameText(e.name)} has other records besides its CNAME. They may receive some of the visitors.`,
    remediation: (e) =>
      `Remove these records: ${text(e.seen)}. Keep the CNAME to ${text(e.expected)}.` +
      until(e, (time) => `Resolvers may cache the removed records until ${time}.`),
    example: { ...example, seen: ['A 203.0.113.7', 'AAAA 2001:db8::7'], expectedBy: '2026-11-02T09:11:00.000Z' },
  },
  proxied_by_cdn: {
    severity: 'error',
    area: 'dns',
    blocking: true,
    resolvesAutomatically: false,
    title: 'proxy must be off',
    meaning: 'The name points to a proxy, so neither visitors nor the certificate authority reach us.',
    message: (e) =>
      `${nameText(e.name)} points to a proxy${e.proxy === undefined ? '' : ` of ${text(e.proxy)}`} (${chainText(e.seen)}).${hint(e)}`,
    cause: (e) =>
      `${nameText(e.name)} goes through a proxy${e.proxy === undefined ? '' : ` of ${text(e.proxy)}`}, so neither visitors nor the certificate authority reach us.${hint(e)}`,
    remediation: (e) =>
      'Turn the proxy off for this record ("DNS only"), so that visitors and the certificate authority reach us. ' +
      `The record itself must point to ${text(e.expected)}.`,
    example: { ...example, seen: ['104.16.1.1', '104.16.2.1'], proxy: 'Cloudflare' },
  },
  propagating: {
    severity: 'info',
    area: 'dns',
    blocking: true,
    resolvesAutomatically: true,
    title: 'DNS change is spreading',
    meaning: 'Name servers disagree: some still return the old record.',
    message: (e) => `Some name servers show the new record; others (${text(e.stale)}) still answer with the old one.`,
    remediation: (e) =>
      'Wait for the change to spread. We check again automatically.' +
      until(e, (time) => `The last cached copy of the old record expires at ${time}.`),
    example: { stale: [resolver], expectedBy: '2026-11-02T09:25:00.000Z' },
  },
  dns_lost: {
    severity: 'warning',
    area: 'dns',
    blocking: true,
    resolvesAutomatically: false,
    title: 'no longer points here',
    meaning: 'The name no longer points here. We still serve the traffic that arrives.',
    message: (e) => `${nameText(e.name)} no longer points here.`,
    cause: (e) => `${nameText(e.name)} no longer points here. We still serve the visitors that arrive.`,
    remediation: (e) => `Restore the record that points ${nameText(e.name)} to ${text(e.expected)}.`,
    example: { name: subdomain, expected: targetHost },
  },
  dangling_record: {
    severity: 'warning',
    area: 'dns',
    blocking: false,
    resolvesAutomatically: false,
    title: 'record still points here',
    meaning: 'The domain was removed here, but its DNS record still exists.',
    message: (e) => `${nameText(e.name)} was removed here, but its DNS record still points here.`,
    remediation: (e) =>
      `At your DNS provider, remove the record that points ${nameText(e.name)} to ${text(e.expected)}. It no longer serves any traffic.`,
    example: { name: subdomain, expected: targetHost },
  },
} satisfies IssueEntries;

/** The given cause, unless a wildcard record answers for the name; with the explanation of a usual mistake. */
function unlessWildcard(e: Evidence, cause: string): string {
  return `${e.wildcard === undefined ? cause : `${nameText(e.name)} has no record of its own.`}${hint(e)}`;
}

/** Issues of the name servers of a zone, and of its signatures. */
export const zoneIssues = {
  resolver_failed: {
    severity: 'warning',
    area: 'zone',
    blocking: true,
    resolvesAutomatically: true,
    title: 'name servers do not answer',
    meaning: 'No name server gave a usable answer. This never counts against the domain.',
    message: (e) =>
      `The name servers gave no usable answer (${text(e.errors)}), so we could not check whether the records are correct.`,
    remediation: () =>
      'No action is needed if this is temporary: we try again automatically. Otherwise check that the zone’s name servers answer.',
    example: { errors: [`${resolver}: SERVFAIL`] },
  },
  dnssec_broken: {
    severity: 'error',
    area: 'zone',
    blocking: true,
    resolvesAutomatically: false,
    title: 'DNSSEC broken',
    meaning:
      'Resolvers refuse the signatures of the zone, and answer without checking them. Usual after a move to another DNS provider. No certificate is ordered.',
    message: (e) =>
      `The DNSSEC signatures of ${nameText(e.name)} are not valid (${text(e.seen)}), so visitors and certificate authorities whose resolvers check them get no answer.`,
    remediation: (e) =>
      `Remove the DS record of ${nameText(e.name)} at your registrar, or have your DNS provider sign the zone again. Certificates are ordered once the signatures are valid or gone.`,
    example: { name: apex, seen: [`${resolver}: SERVFAIL (DNSKEY Missing)`] },
  },
} satisfies IssueEntries;
