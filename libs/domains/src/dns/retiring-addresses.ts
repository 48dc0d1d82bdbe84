import type { DnsFindings, DomainIssue, ExpectedDns } from '@pets/contracts';
import { describeIssue } from '../issues/describe-issue.js';
import { jitterOf } from '../lifecycle/schedules.js';
import { valuesOf } from './dns-views.js';
import type { DnsVerdict } from './evaluate-dns.js';
import { isOneOf } from './evaluate-server.js';
import { addressRecordsOf, shownAddresses, type PublicAddress } from './public-addresses.js';

/** Warnings about addresses of ours that names show and that we give up. */

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
