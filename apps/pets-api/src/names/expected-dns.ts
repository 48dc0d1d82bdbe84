import type { DomainState, ExpectedDelegation, ExpectedDns } from '@pets/contracts';
import { delegationFor, fitsInDns, isApexOf, ownershipHostFor, targetHostFor } from '@pets/domains';
import type { Config } from '../platform/config.js';

/** The zones that the records of domains point to. */
export type DnsZones = Pick<Config, 'PLATFORM_DOMAIN' | 'ACME_DNS_ZONE'>;

/** The listed addresses of the platform. */
export type OurAddresses = Pick<ExpectedDns, 'addresses' | 'retiringAddresses'>;

export interface ExpectingDomain {
  readonly name: string;
  readonly apexName: string;
  readonly zone: string | null;
  readonly state: DomainState;
  readonly targetToken: string;
  readonly ownershipToken: string;
  readonly delegationToken: string;
  readonly hasOtherClaims: boolean;
  readonly wwwTargetToken: string | null;
  readonly wildcardTargetToken: string | null;
}

/**
 * The DNS records that a domain needs, from its row or its due work. A proof of ownership is needed until it is verified. Later
 * checks of a name that shows addresses look for it too, since values of other organizations beside it let them take the name.
 */
export function expectedDnsOf(domain: ExpectingDomain, zones: DnsZones, ours: OurAddresses): ExpectedDns {
  const { name, wwwTargetToken, wildcardTargetToken } = domain;
  const platformDomain = zones.PLATFORM_DOMAIN;
  const isApex = isApexOf(domain);
  const isAwaited = domain.state === 'awaiting_dns';
  const hasProof = domain.state !== 'removed' && fitsInDns(ownershipHostFor(name));
  const hostFor = (token: string | null) => (token === null ? null : targetHostFor(token, platformDomain));
  return {
    name,
    isApex,
    targetHost: targetHostFor(domain.targetToken, platformDomain),
    ...ours,
    wildcardTargetHost: domain.state === 'removed' ? null : hostFor(wildcardTargetToken),
    ownershipHost: hasProof ? ownershipHostFor(name) : null,
    ownershipToken: hasProof ? domain.ownershipToken : null,
    // The instructions for an apex include the proof from the start, so its absence is reported from the start.
    isProofByAddress: !(isAwaited && (isApex || domain.hasOtherClaims)),
    wwwTargetHost: isAwaited ? hostFor(wwwTargetToken) : null,
    delegation: delegationOf(domain, zones),
  };
}

/** The record that delegates the challenges of a domain; null without a zone for them, for a removed domain or a too long name. */
export function delegationOf(
  { name, state, delegationToken }: Pick<ExpectingDomain, 'name' | 'state' | 'delegationToken'>,
  { ACME_DNS_ZONE: zone }: DnsZones,
): ExpectedDelegation | null {
  if (zone === undefined || state === 'removed') return null;
  const delegation = delegationFor(name, delegationToken, zone);
  return fitsInDns(delegation.host) ? delegation : null;
}
