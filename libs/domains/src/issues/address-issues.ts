import { apex, resolver, subdomain, targetHost } from './names.example.js';
import { chainText, hint, nameText, orAddresses, text, type IssueEntries } from './issue-entry.js';

/** Issues of names that cannot have the CNAME, or show addresses instead of it. */
export const addressIssues = {
  apex_cname: {
    severity: 'error',
    area: 'dns',
    blocking: true,
    resolvesAutomatically: false,
    title: 'CNAME at the apex',
    meaning: 'The apex of a zone has a CNAME, which must not exist beside the SOA and NS records of the zone.',
    message: (e) => `${nameText(e.name)} is the apex of its zone and has a CNAME to ${chainText(e.seen)}.${hint(e)}`,
    cause: (e) =>
      `${nameText(e.name)} has a CNAME record to another host. An apex needs an ALIAS record or addresses: a CNAME hides its other records, such as those for mail.${hint(e)}`,
    remediation: (e) => `Replace it with an ALIAS or ANAME record to ${text(e.expected)}.${orAddresses(e)}`,
    example: { name: apex, seen: 'other.example.net', expected: targetHost, servers: [resolver] },
  },
  apex_cname_to_us: {
    severity: 'warning',
    area: 'dns',
    blocking: false,
    resolvesAutomatically: false,
    title: 'CNAME hides other records',
    meaning:
      'The apex of a zone has a CNAME to the correct target. This usually works and does not delay verification.',
    message: (e) =>
      `${nameText(e.name)} is the apex of its zone and has a CNAME record. It points to us, but a CNAME hides the other records of the name, such as those for mail.`,
    cause: (e) =>
      `${nameText(e.name)} points here with a CNAME record. An apex should have an ALIAS record or addresses: a CNAME hides its other records, such as those for mail.`,
    remediation: (e) => `Replace the CNAME with an ALIAS or ANAME record to ${text(e.expected)}.${orAddresses(e)}`,
    example: { name: apex, expected: targetHost, servers: [resolver] },
  },
  apex_not_pointing_here: {
    severity: 'error',
    area: 'dns',
    blocking: true,
    resolvesAutomatically: false,
    title: 'wrong address',
    meaning: 'The addresses of the apex are not those of our target.',
    message: (e) =>
      e.addressRecords === undefined
        ? `${nameText(e.name)} resolves to ${text(e.seen)}. Resolvers have other addresses for ${text(e.target)}: ${text(e.expected)}.${hint(e)}`
        : `${nameText(e.name)} resolves to another server: ${text(e.seen)}.${hint(e)}`,
    cause: (e) => `${nameText(e.name)} has the address of another server.${hint(e)}`,
    remediation: (e) =>
      `Create an ALIAS or ANAME record at the apex that points to ${text(e.target)}, and remove the other address records.${orAddresses(e)}`,
    example: {
      name: apex,
      expected: ['198.51.100.7', '2001:db8::17'],
      servers: [resolver],
      seen: ['203.0.113.7'],
      target: targetHost,
      addressRecords: ['A 198.51.100.7', 'AAAA 2001:db8::17'],
    },
  },
  flattened: {
    severity: 'info',
    area: 'dns',
    blocking: false,
    resolvesAutomatically: false,
    title: 'flattened CNAME',
    meaning:
      'The name shows our addresses instead of the CNAME. It is verified with the TXT record, and this note delays nothing.',
    message: (e) =>
      `${nameText(e.name)} shows our addresses instead of the CNAME to ${text(e.expected)}: its DNS provider resolves the CNAME itself (flattening, ALIAS).`,
    cause: (e) =>
      `${nameText(e.name)} shows our addresses instead of the CNAME, because its DNS provider resolves that itself. No action is needed, unless you entered the addresses yourself: then replace them with the CNAME, since our addresses may change.`,
    remediation: (e) =>
      `No action is needed. If the zone has A or AAAA records of ${nameText(e.name)} that you entered yourself, replace them with the CNAME: our addresses may change.`,
    example: { name: subdomain, expected: targetHost },
  },
  address_retiring: {
    severity: 'warning',
    area: 'dns',
    blocking: false,
    resolvesAutomatically: false,
    title: 'address stops working soon',
    meaning:
      'The name shows an address of ours that we give up. It still works. The warnings of an address are spread over a day.',
    message: (e) =>
      `${nameText(e.name)} shows an address of ours that will stop answering: ${text(e.seen)}. It still works now.`,
    cause: (e) => `${nameText(e.name)} has an address of ours that will stop answering. It still works now.`,
    remediation: (e) =>
      `At your DNS provider, remove ${text(e.seen)} and create a record of the type ${text(e.record)} that points to ${text(e.expected)}.${orAddresses(e)}`,
    example: {
      name: apex,
      seen: ['198.51.100.8'],
      expected: targetHost,
      record: 'ALIAS or ANAME',
      addressRecords: ['A 198.51.100.7'],
    },
  },
} satisfies IssueEntries;
