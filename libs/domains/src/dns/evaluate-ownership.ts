import type { DnsAnswer, DnsFindings, DnsLookup, ExpectedDns } from '@pets/contracts';
import { truncateText } from './truncate.js';
import { preferAuthority } from './dns-views.js';
import type { DnsVerdict } from './evaluate-dns.js';
import { hostOf, isZoneProbe, wwwNameOf } from './probes.js';

/** More values add no information. */
const MAX_OTHER_VALUES = 16;

/** Whether the TXT record proves ownership: yes, no, or unknown. */
export type OwnershipVerdict =
  | { readonly kind: 'proven' }
  /** `seen`: the values found instead of the token. */
  | { readonly kind: 'refuted'; readonly seen?: readonly string[] }
  | { readonly kind: 'unknown'; readonly error: string };

/**
 * Evaluates the TXT record. A failed lookup is never evidence against the owner: only an answer can refute. The authoritative
 * servers decide if any has answered, else the resolvers; all deciding servers that answer must have the token.
 */
export function evaluateOwnership(findings: DnsFindings, ownershipHost: string, token: string): OwnershipVerdict {
  const lookups = findings.lookups.filter(({ type, name }) => type === 'TXT' && name === ownershipHost);
  const answers = preferAuthority(lookups).map(({ answer }) => answer);
  const answered = answers.filter((answer) => answer.kind !== 'failed');
  if (answered.length === 0) {
    const failed = answers.find((answer) => answer.kind === 'failed');
    return { kind: 'unknown', error: failed?.error ?? 'the TXT record was not looked up' };
  }
  const isProven = answered.every(
    (answer) => answer.kind === 'found' && answer.records.some(({ value }) => value === token),
  );
  return isProven ? { kind: 'proven' } : { kind: 'refuted', seen: otherValues(token, answered) };
}

function otherValues(token: string, answers: readonly DnsAnswer[]): readonly string[] {
  const values = answers.flatMap((answer) => (answer.kind === 'found' ? answer.records.map(({ value }) => value) : []));
  return [...new Set(values)]
    .filter((value) => value !== token)
    .slice(0, MAX_OTHER_VALUES)
    .map((value) => truncateText(value));
}

/** Whether the zone of an apex proves that the organization with its `www.` name also controls the apex. */
export type WwwVerdict =
  { readonly kind: 'proven' } | { readonly kind: 'refuted' } | { readonly kind: 'unknown'; readonly error: string };

/**
 * Evaluates the `www.` name of an apex at the authoritative servers of the apex. Proof requires that the CNAME of the `www.`
 * name points directly to the target of this organization, and that `www.` is in the zone of the apex: a delegated `www.` has
 * another owner. Resolvers do not count, since they also return data of delegated zones. All servers that answer must agree; a
 * failed server does not count.
 */
export function evaluateWww({ lookups }: DnsFindings, { name, wwwTargetHost }: ExpectedDns): WwwVerdict {
  if (wwwTargetHost === undefined) return { kind: 'refuted' };
  const www = wwwNameOf(name);
  const asked = lookups.filter(({ isAuthoritative }) => isAuthoritative === true);
  const aliases = new Map(asked.filter((one) => one.type === 'CNAME' && one.name === www).map(byServer));
  const probes = asked.filter((one) => isZoneProbe(one.name, www));
  const verdicts = probes.map((probe) =>
    evaluateWwwAtServer(aliases.get(probe.server), probe, { apex: name, wwwTargetHost }),
  );
  const refuted = verdicts.find(({ kind }) => kind === 'refuted');
  const proven = verdicts.find(({ kind }) => kind === 'proven');
  return (
    refuted ?? proven ?? verdicts[0] ?? { kind: 'unknown', error: `the name servers of ${name} could not be queried` }
  );
}

function evaluateWwwAtServer(
  alias: DnsLookup | undefined,
  probe: DnsLookup,
  { apex, wwwTargetHost }: { readonly apex: string; readonly wwwTargetHost: string },
): WwwVerdict {
  const failed = [alias?.answer, probe.answer].find((answer) => answer?.kind === 'failed');
  if (alias === undefined || failed !== undefined)
    return { kind: 'unknown', error: failed?.error ?? `${probe.server} was not queried for the record` };
  if (alias.answer.kind !== 'found' || alias.alias !== undefined) return { kind: 'refuted' };
  const pointsToTarget = alias.answer.records.every(({ value }) => hostOf(value) === hostOf(wwwTargetHost));
  if (!pointsToTarget) return { kind: 'refuted' };
  if (probe.answer.kind !== 'absent' || probe.answer.zone === undefined || probe.alias !== undefined)
    return { kind: 'unknown', error: `${probe.server} does not state the zone of ${probe.name}` };
  return { kind: probe.answer.zone === apex ? 'proven' : 'refuted' };
}

function byServer(lookup: DnsLookup): [server: string, lookup: DnsLookup] {
  return [lookup.server, lookup];
}

export interface ProofFacts {
  readonly isApex: boolean;
  /** Whether another organization has had the name verified, or it is an apex that another has in a project. */
  readonly hasOtherClaims: boolean;
  readonly dns: DnsVerdict;
  readonly www: WwwVerdict;
}

/**
 * Whether the name needs the TXT record before it is verified. A target is unique to the organization; an address is not. An
 * apex that matches only by address therefore needs the record, unless its `www.` name proves ownership.
 */
export function requiresOwnershipProof({ isApex, hasOtherClaims, dns, www }: ProofFacts): boolean {
  if (hasOtherClaims) return true;
  if (!isApex || (dns.kind === 'matches' && dns.by === 'target')) return false;
  return www.kind !== 'proven';
}
