/**
 * Interprets the findings of the worker for a domain: the trigger of `transition`, and the observations that are
 * stored.
 */
import {
  isWildcard,
  type CaaVerdict,
  type DnsFindings,
  type DomainEvents,
  type DomainState,
  type ExpectedDns,
} from '@pets/contracts';
import { evaluateDelegation, type DelegationVerdict } from '../dns/evaluate-delegation.js';
import { evaluateDns, type DnsVerdict } from '../dns/evaluate-dns.js';
import {
  evaluateOwnership,
  evaluateWww,
  requiresOwnershipProof,
  type OwnershipVerdict,
} from '../dns/evaluate-ownership.js';
import { observedRecords } from '../dns/observed-records.js';
import { shownAddresses, type PublicAddress } from '../dns/public-addresses.js';
import { noticedAddresses, withProofsOfOthers, withRetiringAddresses } from '../dns/match-by-address.js';
import { isRegistryZone } from '../names/parse-domain-name.js';
import { ownershipHostFor } from '../names/required-hosts.js';
import type { DomainTrigger } from './domain-trigger.js';

/** The facts about a domain that say what a check of its DNS means. */
export interface CheckedDomain {
  readonly id: string;
  readonly name: string;
  readonly state: DomainState;
  /** Name servers that the last check found. */
  readonly nameServers: readonly string[];
  readonly ownershipToken: string;
  readonly hasOtherClaims: boolean;
  readonly isClaimedElsewhere: boolean;
}

/** Facts about the platform that an interpretation needs besides the answers. */
export interface CheckContext {
  readonly expected: ExpectedDns;
  /** The public addresses of the platform. */
  readonly addresses: readonly PublicAddress[];
  readonly now: Date;
}

/** Observations of a check, besides the verdict. Members that are absent stay as they are. */
interface DnsObservations {
  readonly checkedAt: Date;
  readonly observed: ReturnType<typeof observedRecords>;
  readonly nameServers?: readonly string[];
  readonly zone?: string;
  /** Null for a name that shows none of ours. */
  readonly matchedAddresses?: readonly string[] | null;
  /** Null when a check has not found the proof. */
  readonly ownershipProvenAt?: Date | null;
}

export interface InterpretedFindings {
  readonly trigger: DomainTrigger;
  readonly observations: DnsObservations;
}

/**
 * Interprets a check of the DNS.
 * @param others tokens of other organizations, found at the host of the proof
 */
export function interpretDnsCheck(
  domain: CheckedDomain,
  findings: DnsFindings,
  others: readonly string[],
  context: CheckContext,
): InterpretedFindings {
  const { now } = context;
  const expected = inZone(context.expected, findings.zone);
  const { name, ownershipToken: token } = domain;
  const host = ownershipHostFor(name);
  const challenges = expected.delegation ? evaluateDelegation(findings, expected.delegation) : null;
  const verdict = evaluateProof(findings, { name, host, token, challenges });
  const dns = evaluateRecords(domain, findings, { ...context, expected });
  const isRequired = requiresOwnershipProof({
    isApex: expected.isApex,
    isWildcard: isWildcard(name),
    hasOtherClaims: domain.hasOtherClaims,
    dns,
    www: evaluateWww(findings, expected),
  });
  const ownership = isRequired ? { verdict, host, token } : null;
  const isAwaited = domain.state === 'awaiting_dns';
  const isHolder = !isAwaited || ownership === null || verdict.kind === 'proven';
  return {
    trigger: {
      type: 'dns.checked',
      dns: isHolder ? withProofsOfOthers(dns, { name, host }, others) : dns,
      ownership,
      isClaimedElsewhere: domain.isClaimedElsewhere,
      challenges,
      hasNewNameServers: !areSameNames(findings.nameServers ?? domain.nameServers, domain.nameServers),
    },
    observations: {
      ...observationsOf(findings, expected),
      ...(isAwaited && ownership !== null && proofChange(verdict, now)),
    },
  };
}

/** Interprets a check before a renewal. */
export function interpretReverify(
  domain: CheckedDomain,
  { findings, caa }: { readonly findings: DnsFindings; readonly caa: CaaVerdict },
  context: CheckContext,
): InterpretedFindings {
  const expected = inZone(context.expected, findings.zone);
  return {
    trigger: { type: 'domain.reverified', dns: evaluateRecords(domain, findings, { ...context, expected }), caa },
    observations: observationsOf(findings, expected),
  };
}

/**
 * Corrects what a check expected by the zone that it has found: a name that is an apex by the public suffix list alone has its
 * CNAME by right, and no warning until the next check. The other way round the job has not asked for all that an apex needs.
 */
function inZone(expected: ExpectedDns, zone: string | null): ExpectedDns {
  const isInOther = zone !== null && zone !== expected.name && !isRegistryZone(zone);
  return isInOther ? { ...expected, isApex: false } : expected;
}

/**
 * Interprets the renewal window of a CA (RFC 9773). The window of a certificate that was replaced meanwhile would have the new
 * one renewed at once.
 * @param newest identifier of the newest certificate of the domain
 * @returns null for the window of another certificate
 */
export function interpretRenewalInfo(
  { certificateIdentifier, window, explanationUrl, retryAt, problem }: DomainEvents['renewal_info.fetched'],
  newest: string | null | undefined,
): DomainTrigger | null {
  if (newest !== certificateIdentifier) return null;
  return {
    type: 'renewal_info.fetched',
    window: window === null ? null : { start: new Date(window.start), end: new Date(window.end) },
    explanationUrl,
    retryAt: retryAt === null ? null : new Date(retryAt),
    hasFailed: problem !== null,
  };
}

/** Interprets a probe whose edges did not present the certificate. */
export function interpretNotServed({ seen }: Pick<DomainEvents['certificate.not_served'], 'seen'>): DomainTrigger {
  return {
    type: 'certificate.not_served',
    seen: seen.length === 0 ? ['no edge is reachable'] : seen.map(({ edgeId, error }) => `${edgeId}: ${error}`),
  };
}

function evaluateRecords(
  { id }: CheckedDomain,
  findings: DnsFindings,
  { expected, addresses, now }: CheckContext,
): DnsVerdict {
  return withRetiringAddresses(
    evaluateDns(findings, expected),
    findings,
    expected,
    noticedAddresses(addresses, id, now),
  );
}

function observationsOf(findings: DnsFindings, { name, targetHost, addresses }: ExpectedDns): DnsObservations {
  const { checkedAt, nameServers, zone } = findings;
  const matchedAddresses = shownAddresses(findings, name, addresses);
  return {
    checkedAt: new Date(checkedAt),
    observed: observedRecords(findings, targetHost),
    ...(nameServers !== null && { nameServers }),
    ...(zone !== null && { zone }),
    ...(matchedAddresses !== undefined && {
      matchedAddresses: matchedAddresses.length === 0 ? null : matchedAddresses,
    }),
  };
}

function areSameNames(some: readonly string[], others: readonly string[]): boolean {
  const [one, other] = [new Set(some), new Set(others)];
  return one.size === other.size && one.isSubsetOf(other);
}

/**
 * The TXT record proves ownership, and so does the delegation: only the owner of the zone can create either for our tokens. A
 * wildcard has the delegation anyway; where others have names that it covers, only the TXT record says that it is meant for
 * them as well.
 */
function evaluateProof(
  findings: DnsFindings,
  {
    name,
    host,
    token,
    challenges,
  }: { name: string; host: string; token: string; challenges: DelegationVerdict | null },
): OwnershipVerdict {
  if (challenges?.kind === 'delegated' && !isWildcard(name)) return { kind: 'proven' };
  return wasLookedUp(host, findings) ? evaluateOwnership(findings, host, token) : { kind: 'refuted' };
}

/** A check may have started before another organization had the name; then its job included no proof. */
function wasLookedUp(host: string, { lookups }: DnsFindings): boolean {
  return lookups.some(({ name, type }) => type === 'TXT' && name === host);
}

/** A proof is not needed after verification, and most owners remove the record then. */
function proofChange({ kind }: OwnershipVerdict, now: Date): Pick<DnsObservations, 'ownershipProvenAt'> {
  switch (kind) {
    case 'proven':
      return { ownershipProvenAt: now };
    case 'refuted':
      return { ownershipProvenAt: null };
    case 'unknown':
      return {};
  }
}
