import type { DomainState, ExpectedDelegation, ExpectedDns } from '@pets/contracts';
import { delegationFor, fitsInDns, ownershipHostFor, targetHostFor } from '@pets/domains';
import type { Config } from '../platform/config.js';

/** The zones that the records of domains point to. */
export type DnsZones = Pick<Config, 'PLATFORM_DOMAIN' | 'ACME_DNS_ZONE'>;

export interface ExpectingDomain {
  readonly name: string;
  readonly apexName: string;
  readonly state: DomainState;
  readonly targetToken: string;
  readonly ownershipToken: string;
  readonly delegationToken: string;
  readonly hasOtherClaims: boolean;
  readonly wwwTargetToken: string | null;
  readonly wildcardTargetToken: string | null;
}

/** The DNS records that a domain needs, from its row or its due work. A proof of ownership is needed until it is verified. */
export function expectedDnsOf(domain: ExpectingDomain, zones: DnsZones): ExpectedDns {
  const { name, wwwTargetToken, wildcardTargetToken } = domain;
  const platformDomain = zones.PLATFORM_DOMAIN;
  const isApex = name === domain.apexName;
  const isAwaited = domain.state === 'awaiting_dns';
  const delegation = delegationOf(domain, zones);
  return {
    name,
    isApex,
    targetHost: targetHostFor(domain.targetToken, platformDomain),
    // The records of an apex may match by address alone, which proves nothing: its proof is always looked up.
    ...(isAwaited && (isApex || domain.hasOtherClaims) && fitsInDns(ownershipHostFor(name))
      ? { ownershipHost: ownershipHostFor(name), ownershipToken: domain.ownershipToken }
      : { ownershipHost: null }),
    ...(isAwaited && wwwTargetToken !== null && { wwwTargetHost: targetHostFor(wwwTargetToken, platformDomain) }),
    ...(domain.state !== 'removed' &&
      wildcardTargetToken !== null && { wildcardTargetHost: targetHostFor(wildcardTargetToken, platformDomain) }),
    ...(delegation !== null && { delegation }),
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
