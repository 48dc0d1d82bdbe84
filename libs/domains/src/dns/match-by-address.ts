/** Notes on a match by address: the address will stop answering, or another organization can take the name. */
import type { DnsFindings, DomainIssue, ExpectedDns } from '@pets/contracts';
import { describeIssue } from '../issues/issue-catalog.js';
import { jitterOf } from '../lifecycle/schedules.js';
import { valuesOf } from './dns-views.js';
import type { DnsVerdict } from './evaluate-dns.js';
import { isOneOf } from './evaluate-server.js';
import { addressRecordsOf, shownAddresses, type PublicAddress } from './public-addresses.js';

const NOTICES_MS = 24 * 60 * 60 * 1_000;

/**
 * The retiring addresses that a domain may be warned about. The domains of an address are warned over a day, since their owners
 * all get a webhook and look at the same page.
 */
export function noticedAddresses(listed: readonly PublicAddress[], domainId: string, now: Date): readonly string[] {
  const waitMs = jitterOf(domainId) * NOTICES_MS;
  return listed
    .filter(({ retiringSince }) => retiringSince !== null && now.getTime() >= retiringSince.getTime() + waitMs)
    .map(({ address }) => address);
}

/**
 * Adds a warning to a match by address: these addresses of ours will stop answering. Not for those that the target has itself in
 * the answers of resolvers: there the provider of the name follows our records and will go on to do so.
 * @param noticed retiring addresses
 */
export function withRetiringAddresses(
  dns: DnsVerdict,
  findings: DnsFindings,
  expected: ExpectedDns,
  noticed: readonly string[],
): DnsVerdict {
  if (dns.kind !== 'matches' || dns.by !== 'address') return dns;
  const followed = findings.lookups
    .filter(({ name }) => name === expected.targetHost)
    .flatMap(({ answer }) => valuesOf(answer));
  const seen = (shownAddresses(findings, expected.name, noticed) ?? []).filter(
    (address) => !isOneOf(address, followed),
  );
  return seen.length === 0 ? dns : { ...dns, notes: [retiringIssue(expected, seen), ...(dns.notes ?? [])] };
}

function retiringIssue(expected: ExpectedDns, seen: readonly string[]): DomainIssue {
  const { name, targetHost, isApex } = expected;
  const shown = { name, seen, expected: targetHost, record: isApex ? 'ALIAS or ANAME' : 'CNAME' };
  return describeIssue('address_retiring', { ...shown, ...addressRecordsOf(expected) });
}

/** The values beside the token of an organization, of which some may be tokens of others. Their number is bounded. */
export function otherProofs({ lookups }: DnsFindings, ownershipHost: string, token: string): readonly string[] {
  const values = lookups.flatMap(({ type, name, alias, answer }) =>
    type === 'TXT' && name === ownershipHost && alias === undefined && answer.kind === 'found'
      ? answer.records.map(({ value }) => value)
      : [],
  );
  return [...new Set(values)].filter((value) => value !== token);
}

/**
 * Adds a note for the holder of a name that matches by address: an organization with one of these values in the zone can
 * take the name. One that shows its target cannot be taken by a TXT record alone.
 * @param tokens of other organizations, found at the host
 */
export function withProofsOfOthers(
  dns: DnsVerdict,
  { name, host }: { readonly name: string; readonly host: string },
  tokens: readonly string[],
): DnsVerdict {
  if (dns.kind !== 'matches' || dns.by !== 'address' || tokens.length === 0) return dns;
  return {
    ...dns,
    notes: [...(dns.notes ?? []), describeIssue('ownership_txt_of_others', { name, host, seen: tokens })],
  };
}
