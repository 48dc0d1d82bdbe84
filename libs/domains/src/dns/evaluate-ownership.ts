import type { DnsAnswer, DnsFindings, DnsLookup, ExpectedDns } from '@pets/contracts';
import { truncateText } from './truncate.js';
import { preferAuthority } from './dns-views.js';
import type { DnsVerdict } from './evaluate-dns.js';
import { hostOf, isWildcardProbe, isZoneProbe, parentOf, wwwNameOf } from './probes.js';

/** More values add no information. */
const MAX_OTHER_VALUES = 16;

/** Whether the TXT record proves ownership: yes, no, or unknown. */
export type OwnershipVerdict =
  | { readonly kind: 'proven' }
  /** `seen`: the values found instead of the token. */
  | ({ readonly kind: 'refuted'; readonly seen?: readonly string[] } & ProofDetour)
  | { readonly kind: 'unknown'; readonly error: string };

/** The record that is there, or answered, in place of the TXT record of the name. Its owner may be somebody else, so it proves nothing. */
interface ProofDetour {
  /** The end of the CNAMEs that the answer came over. */
  readonly alias?: string;
  /** The wildcard that answered. */
  readonly wildcard?: string;
  /** The name at which the token is instead: that of the record, with the zone twice. */
  readonly enteredAt?: string;
}

/**
 * Evaluates the TXT record. A failed lookup is never evidence against the owner: only an answer can refute. The authoritative
 * servers decide if any has answered, else the resolvers; all deciding servers that answer must have the token, at the name
 * itself: an answer that came over a CNAME or from a wildcard proves nothing.
 */
export function evaluateOwnership(findings: DnsFindings, ownershipHost: string, token: string): OwnershipVerdict {
  const siblings = findings.lookups.filter(({ type, name }) => type === 'TXT' && isSibling(name, ownershipHost));
  const lookups = findings.lookups
    .filter(({ type, name }) => type === 'TXT' && name === ownershipHost)
    // A server that shows a CNAME has answered, whatever became of the question about its target.
    .map((lookup) => (lookup.alias === undefined ? lookup : { ...lookup, answer: noRecord }));
  const deciding = preferAuthority(lookups);
  const results = deciding.map((lookup) => evaluateProofAtServer(lookup, siblings, token));
  const answered = results.filter((result) => typeof result === 'boolean');
  if (answered.length === 0) {
    const [first] = results;
    return { kind: 'unknown', error: typeof first === 'object' ? first.error : 'the TXT record was not looked up' };
  }
  if (answered.every((isProven) => isProven)) return { kind: 'proven' };
  const seen = otherValues(
    token,
    deciding.map(({ answer }) => answer),
  );
  const enteredAt = findings.lookups.find(
    ({ name, type, answer }) => type === 'TXT' && name.startsWith(`${ownershipHost}.`) && hasValue(answer, token),
  )?.name;
  const detour = detourOf(findings, deciding, siblings, ownershipHost);
  return { kind: 'refuted', seen, ...detour, ...(enteredAt !== undefined && { enteredAt }) };
}

const noRecord: DnsAnswer = { kind: 'absent' };

function isSibling(host: string, ownershipHost: string): boolean {
  return isWildcardProbe(host) && parentOf(host) === parentOf(ownershipHost);
}

/** Whether a server proves it; the error if that is unknown. */
function evaluateProofAtServer(
  { answer, server }: DnsLookup,
  siblings: readonly DnsLookup[],
  token: string,
): boolean | { readonly error: string } {
  if (answer.kind === 'failed') return { error: answer.error };
  if (!hasValue(answer, token)) return false;
  const sibling = siblings.find((lookup) => lookup.server === server)?.answer;
  // A wildcard may have answered for both.
  if (sibling === undefined) return { error: 'no sibling of the TXT record was looked up' };
  if (sibling.kind === 'failed') return { error: sibling.error };
  return !hasValue(sibling, token);
}

function hasValue(answer: DnsAnswer, value: string): boolean {
  return answer.kind === 'found' && answer.records.some((record) => record.value === value);
}

function sharesValue(one: DnsAnswer, other: DnsAnswer): boolean {
  return one.kind === 'found' && one.records.some(({ value }) => hasValue(other, value));
}

/** A wildcard answers for a random sibling of the record as well. */
function detourOf(
  { lookups }: DnsFindings,
  deciding: readonly DnsLookup[],
  siblings: readonly DnsLookup[],
  ownershipHost: string,
): ProofDetour {
  const alias = deciding.map((lookup) => lookup.alias).find((end) => end !== undefined);
  const isWildcard = siblings.some(
    (sibling) => (alias !== undefined && sibling.alias === alias) || sibling.answer.kind === 'found',
  );
  const base = parentOf(ownershipHost);
  // The wildcard above answers only below names that have no records of their own (RFC 4592 §3.3.1).
  const isAbove = lookups.some(
    ({ name, type, answer }) =>
      isWildcardProbe(name) &&
      parentOf(name) === parentOf(base) &&
      lookups.some((own) => own.name === base && own.type === type && sharesValue(own.answer, answer)),
  );
  return {
    ...(alias !== undefined && { alias: truncateText(alias) }),
    ...(isWildcard && { wildcard: `*.${isAbove ? parentOf(base) : base}` }),
  };
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
  if (wwwTargetHost === null) return { kind: 'refuted' };
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
  /** The name begins a zone, so that its provider may offer only an ALIAS. */
  readonly isApex: boolean;
  readonly isWildcard: boolean;
  /** Whether another organization has had the name verified, or it is an apex that another has in a project. */
  readonly hasOtherClaims: boolean;
  readonly dns: DnsVerdict;
  readonly www: WwwVerdict;
}

/**
 * Whether the name needs the TXT record before it is verified. A target is unique to the organization; an address is not. A
 * name that matches only by address therefore needs the record, unless it is an apex whose `www.` name proves ownership. A
 * wildcard needs its delegation, which proves as much.
 */
export function requiresOwnershipProof({ isApex, isWildcard, hasOtherClaims, dns, www }: ProofFacts): boolean {
  if (hasOtherClaims) return true;
  if (isWildcard || www.kind === 'proven') return false;
  if (dns.kind === 'matches') return dns.by === 'address';
  return isApex || (dns.kind === 'mismatch' && dns.showsOurAddresses === true);
}
