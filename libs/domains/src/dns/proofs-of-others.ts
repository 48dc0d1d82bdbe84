import type { DnsFindings } from '@pets/contracts';
import { describeIssue } from '../issues/describe-issue.js';
import type { DnsVerdict } from './evaluate-dns.js';

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
