import type { DnsFindings, DnsLookup, DomainIssue, ExpectedDelegation } from '@pets/contracts';
import { describeIssue } from '../issues/issue-catalog.js';
import { preferAuthority } from './dns-views.js';
import { explainNearMiss } from './near-miss.js';
import { hostOf } from './probes.js';
import { truncateText } from './truncate.js';

/** More values add no information. */
const MAX_SEEN = 8;

/** Whether the challenges of a name are delegated to our zone: yes, no with what was found instead, or unknown. */
export type DelegationVerdict =
  | { readonly kind: 'delegated' }
  | { readonly kind: 'absent' }
  /** A CNAME that does not point directly to our target. `seen`: the target, or the chain. */
  | {
      readonly kind: 'elsewhere';
      readonly seen: readonly string[];
      readonly endsHere: boolean;
      readonly servers: readonly string[];
    }
  /** A name server that shows the CNAME answers the question for TXT itself instead of with the CNAME, so no CA gets to our zone. */
  | { readonly kind: 'shadowed'; readonly seen: readonly string[]; readonly servers: readonly string[] }
  /** Some servers have the record. A CA may ask one of the others. */
  | { readonly kind: 'partial'; readonly lacking: readonly string[] }
  | { readonly kind: 'unknown'; readonly error: string };

/**
 * Evaluates the CNAME of `_acme-challenge`. The authoritative servers decide if any has answered, else the resolvers; all
 * deciding servers that answer must have it. It must point directly to our target: with a chain, the owner of a name in
 * the middle would prove ownership here. No name server may have a TXT record in its place, which some providers add unseen or
 * by flattening. A failed lookup is never evidence against the owner.
 */
export function evaluateDelegation({ lookups }: DnsFindings, expected: ExpectedDelegation): DelegationVerdict {
  const own = lookups.filter(({ type, name }) => type === 'CNAME' && name === expected.host);
  const deciding = preferAuthority(own);
  const answered = deciding.filter(({ answer }) => answer.kind !== 'failed');
  if (answered.length === 0) {
    const failed = deciding[0]?.answer;
    return { kind: 'unknown', error: failed?.kind === 'failed' ? failed.error : `${expected.host} was not looked up` };
  }
  const lacking = answered.filter((lookup) => !isDirect(lookup, expected));
  if (lacking.length === 0) return evaluateShadows(lookups, own, expected);
  if (lacking.length < answered.length) return { kind: 'partial', lacking: lacking.map(({ server }) => server) };
  const found = lacking.filter(({ answer }) => answer.kind === 'found');
  if (found.length === 0) return { kind: 'absent' };
  return { kind: 'elsewhere', ...explainFound(found, lookups, expected) };
}

/**
 * A CA asks for TXT, and RFC 1034 §4.3.2 has a server answer with the CNAME. A server that shows the CNAME and answers without
 * it has a record of the host. One whose lookup of the CNAME failed may lack the record instead.
 */
function evaluateShadows(
  lookups: readonly DnsLookup[],
  own: readonly DnsLookup[],
  expected: ExpectedDelegation,
): DelegationVerdict {
  const without = lookups.filter(
    ({ type, name, isAuthoritative, alias, answer }) =>
      isAuthoritative && type === 'TXT' && name === expected.host && alias === undefined && answer.kind !== 'failed',
  );
  if (without.length === 0) return { kind: 'delegated' };
  // The DNS server of a development network is asked for the CNAME as a resolver.
  const direct = new Set(own.filter((lookup) => isDirect(lookup, expected)).map(({ server }) => server));
  const shadows = without.filter(({ server }) => direct.has(server));
  if (shadows.length === 0) return { kind: 'partial', lacking: [...new Set(without.map(({ server }) => server))] };
  const values = new Set(shadows.flatMap(valuesOf));
  const seen = [...values].slice(0, MAX_SEEN).map((value) => truncateText(value));
  return { kind: 'shadowed', seen, servers: [...new Set(shadows.map(({ server }) => server))] };
}

function isDirect({ answer, alias }: DnsLookup, { target }: ExpectedDelegation): boolean {
  return (
    alias === undefined &&
    answer.kind === 'found' &&
    answer.records.every(({ value }) => hostOf(value) === hostOf(target))
  );
}

/** A resolver that was asked for TXT at the host names the end of the chain. */
function explainFound(
  found: readonly DnsLookup[],
  lookups: readonly DnsLookup[],
  { host, target }: ExpectedDelegation,
) {
  const values = found.flatMap(valuesOf);
  const end = lookups.find(({ type, name, alias }) => type === 'TXT' && name === host && alias !== undefined)?.alias;
  const seen = [...new Set([...values, ...(end === undefined ? [] : [end])].map(hostOf))];
  return {
    seen: seen.slice(0, MAX_SEEN).map((value) => truncateText(value)),
    endsHere: end !== undefined && hostOf(end) === hostOf(target),
    servers: [...new Set(found.map(({ server }) => server))],
  };
}

function valuesOf({ answer }: DnsLookup): string[] {
  return answer.kind === 'found' ? answer.records.map(({ value }) => value) : [];
}

/** The issue of a delegation that a record of the host itself hides from CAs. */
export function shadowedIssue(
  { seen, servers }: Extract<DelegationVerdict, { kind: 'shadowed' }>,
  { host, target }: ExpectedDelegation,
  name: string,
): DomainIssue {
  const evidence = { name, host, expected: target, servers: [...servers] };
  return describeIssue('delegation_shadowed', { ...evidence, ...(seen.length > 0 && { seen: [...seen] }) });
}

/** The issue of a delegation that exists and does not work; null for every other verdict, since the record is optional. */
export function delegationIssue(
  verdict: DelegationVerdict,
  delegation: ExpectedDelegation,
  name: string,
): DomainIssue | null {
  const { host, target } = delegation;
  switch (verdict.kind) {
    case 'elsewhere': {
      const { seen, servers, endsHere } = verdict;
      const evidence = { name, host, seen: [...seen], expected: target, servers: [...servers] };
      return describeIssue('delegation_mismatch', { ...evidence, ...hintFor(seen, target, host, endsHere) });
    }
    case 'partial':
      return describeIssue('delegation_propagating', { name, host, stale: [...verdict.lacking] });
    case 'shadowed':
      return shadowedIssue(verdict, delegation, name);
    case 'delegated':
    case 'absent':
    case 'unknown':
      return null;
  }
}

/** The issues of a delegation without which the name gets no certificate, as a wildcard. */
export function requiredDelegationIssues(
  verdict: DelegationVerdict,
  delegation: ExpectedDelegation,
  name: string,
): readonly DomainIssue[] {
  const { host, target } = delegation;
  const evidence = { name, host, expected: target };
  switch (verdict.kind) {
    case 'delegated':
      return [];
    case 'absent':
      return [describeIssue('delegation_missing', evidence)];
    case 'elsewhere': {
      const { seen, servers, endsHere } = verdict;
      const found = { seen: [...seen], servers: [...servers], ...hintFor(seen, target, host, endsHere) };
      return [describeIssue('delegation_missing', { ...evidence, ...found })];
    }
    case 'partial':
      return [describeIssue('delegation_propagating', { name, host, stale: [...verdict.lacking] })];
    case 'shadowed':
      return [shadowedIssue(verdict, delegation, name)];
    case 'unknown':
      return [describeIssue('resolver_failed', { errors: [verdict.error] })];
  }
}

function hintFor(seen: readonly string[], target: string, host: string, endsHere: boolean): { readonly hint?: string } {
  if (endsHere) return { hint: 'The chain ends at our target, but the record must point to it directly.' };
  const nearMiss = seen.map((value) => explainNearMiss(value, target, host)).find((found) => found !== null);
  return nearMiss ? { hint: nearMiss.hint } : {};
}
