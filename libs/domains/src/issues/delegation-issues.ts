import { resolver, subdomain, targetHost } from './names.example.js';
import { hint, nameText, text, type IssueEntries } from './issue-entry.js';

const host = `_acme-challenge.${subdomain}`;
const delegationTarget = 'p6ns2yjw4kq3fbxe7mdu.acme.pets.example';

/** Issues of delegated challenges, and of names that are prepared for a switch. */
export const delegationIssues = {
  delegation_missing: {
    severity: 'error',
    area: 'delegation',
    blocking: true,
    resolvesAutomatically: false,
    title: 'challenge record missing',
    meaning: 'The record without which no certificate is issued for a wildcard is missing or points to another place.',
    message: (e) =>
      `The CNAME record of ${nameText(e.host)} was not found. Without it, certificate authorities issue no certificate for ${nameText(e.name)}.${e.seen === undefined ? '' : ` Found instead: ${text(e.seen)}.`}${hint(e)}`,
    cause: (e) =>
      `The CNAME record of ${nameText(e.host)} ${e.seen === undefined ? 'was not found' : 'points to another host'}. Certificate authorities issue no certificate for ${nameText(e.name)} without it.${hint(e)}`,
    remediation: (e) =>
      e.seen === undefined
        ? `At your DNS provider, create the CNAME record of ${nameText(e.host)} to exactly ${text(e.expected)}. We check for it automatically.`
        : `Change the value of the CNAME record of ${nameText(e.host)} to exactly ${text(e.expected)}.`,
    example: { name: `*.${subdomain}`, host, expected: delegationTarget },
  },
  delegation_mismatch: {
    severity: 'info',
    area: 'delegation',
    blocking: false,
    resolvesAutomatically: false,
    title: 'wrong challenge record',
    meaning: 'The optional record for a certificate before the switch points to another place.',
    message: (e) =>
      `${nameText(e.host)} is a CNAME to another host (${text(e.seen)}), so the certificate cannot be issued before ${nameText(e.name)} points here.${hint(e)}`,
    cause: (e) =>
      `The CNAME record of ${nameText(e.host)} points to another host, so the certificate cannot be issued before ${nameText(e.name)} points here.${hint(e)}`,
    remediation: (e) =>
      `To get the certificate before you switch, change the value of that CNAME record to exactly ${text(e.expected)}. Otherwise nothing needs to be done.`,
    example: {
      name: subdomain,
      host,
      seen: ['docs.acme-hosting.example.net'],
      expected: delegationTarget,
      servers: [resolver],
    },
  },
  delegation_shadowed: {
    severity: 'error',
    area: 'delegation',
    blocking: 'wildcard',
    resolvesAutomatically: false,
    title: 'challenge record hidden',
    meaning:
      'A TXT record beside the record that delegates challenges, or a flattened one. No certificate is ordered with DNS-01, which would fail and use up limits of the certificate authority.',
    message: (e) =>
      `The CNAME record of ${nameText(e.host)} is correct, but ${e.seen === undefined ? 'the name servers do not return it' : `a TXT record at the same name (${text(e.seen)}) hides it`}: certificate authorities ask for TXT, so no certificate for ${nameText(e.name)} can be issued with it.`,
    cause: (e) =>
      e.seen === undefined
        ? null
        : `A TXT record at ${nameText(e.host)} hides the CNAME record there, so no certificate for ${nameText(e.name)} can be issued with it. Cloudflare adds such records without showing them: disable Universal SSL for the zone there.`,
    remediation: (e) =>
      (e.seen === undefined
        ? `Turn flattening off for ${nameText(e.host)}, so that its CNAME itself is returned.`
        : `Remove the TXT record of ${nameText(e.host)} and keep the CNAME.`) +
      ' Cloudflare adds such records without showing them: disable Universal SSL for the zone there.',
    example: {
      name: subdomain,
      host,
      expected: delegationTarget,
      servers: ['192.0.2.1:53'],
      seen: ['gfj9Xq3hT0bT5xkq2cOQz0d2vLr7mVn8'],
    },
  },
  delegation_propagating: {
    severity: 'info',
    area: 'delegation',
    blocking: 'wildcard',
    resolvesAutomatically: true,
    title: 'challenge record is spreading',
    meaning: 'Name servers disagree about the record that delegates challenges. Only a wildcard needs that record.',
    message: (e) =>
      `Some name servers have the CNAME record of ${nameText(e.host)}; others (${text(e.stale)}) do not have it yet.`,
    remediation: () => 'Wait for the change to spread. We check again automatically.',
    example: { name: subdomain, host, stale: ['192.0.2.54:53'] },
  },
  delegation_lost: {
    severity: 'warning',
    area: 'delegation',
    blocking: 'wildcard',
    resolvesAutomatically: false,
    title: 'challenge record lost',
    meaning: 'The record that the certificate was issued with is gone, and the name does not point here.',
    message: (e) =>
      `The CNAME record of ${nameText(e.host)} no longer points to ${text(e.expected)}, so the certificate of ${nameText(e.name)} cannot be renewed while the name points elsewhere.`,
    remediation: (e) =>
      `Restore the CNAME record of ${nameText(e.host)} to ${text(e.expected)}, or point ${nameText(e.name)} here.`,
    example: { name: subdomain, host, expected: delegationTarget },
  },
  preparation_expired: {
    severity: 'warning',
    area: 'delegation',
    blocking: false,
    resolvesAutomatically: false,
    title: 'preparation expired',
    meaning: 'The name was prepared for a switch long ago and still points elsewhere.',
    message: (e) =>
      `${nameText(e.name)} has been prepared for a switch since ${text(e.since)} and still points elsewhere, so its certificate is no longer renewed.`,
    cause: (e) =>
      `${nameText(e.name)} has been prepared for a switch since ${text(e.since)} and still points elsewhere, so its certificate is no longer renewed. Switch it, or check the DNS to continue the preparation.`,
    remediation: (e) =>
      `Point ${nameText(e.name)} to ${text(e.expected)}, or request a DNS check to continue the preparation. Remove the domain if you do not need it.`,
    example: { name: subdomain, expected: targetHost, since: '2026-08-04T09:10:00.000Z' },
  },
} satisfies IssueEntries;
