import type { DomainState, ExpectedDns } from '@pets/contracts';
import { ownershipHostFor, targetHostFor } from '@pets/domains';

export interface ExpectingDomain {
  readonly name: string;
  readonly apexName: string;
  readonly state: DomainState;
  readonly targetToken: string;
  readonly ownershipToken: string;
  readonly hasOtherClaims: boolean;
  readonly wwwTargetToken: string | null;
}

/** The DNS records that a domain needs, from its row or its due work. A proof of ownership is needed until it is verified. */
export function expectedDnsOf(domain: ExpectingDomain, platformDomain: string): ExpectedDns {
  const { name, wwwTargetToken } = domain;
  const isApex = name === domain.apexName;
  const isAwaited = domain.state === 'awaiting_dns';
  return {
    name,
    isApex,
    targetHost: targetHostFor(domain.targetToken, platformDomain),
    // The records of an apex may match by address alone, which proves nothing: its proof is always looked up.
    ...(isAwaited && (isApex || domain.hasOtherClaims)
      ? { ownershipHost: ownershipHostFor(name), ownershipToken: domain.ownershipToken }
      : { ownershipHost: null }),
    ...(isAwaited && wwwTargetToken !== null && { wwwTargetHost: targetHostFor(wwwTargetToken, platformDomain) }),
  };
}
