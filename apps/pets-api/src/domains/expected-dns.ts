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

/** What a domain's name has to show in DNS, from its row or from claimed work. A proof is asked for before it is verified. */
export function expectedDnsOf(domain: ExpectingDomain, platformDomain: string): ExpectedDns {
  const { name, wwwTargetToken } = domain;
  const isApex = name === domain.apexName;
  const isAwaited = domain.state === 'awaiting_dns';
  return {
    name,
    isApex,
    targetHost: targetHostFor(domain.targetToken, platformDomain),
    // Whether an apex matches by its address alone is seen together with the proof, so that is always looked up.
    ...(isAwaited && (isApex || domain.hasOtherClaims)
      ? { ownershipHost: ownershipHostFor(name), ownershipToken: domain.ownershipToken }
      : { ownershipHost: null }),
    ...(isAwaited && wwwTargetToken !== null && { wwwTargetHost: targetHostFor(wwwTargetToken, platformDomain) }),
  };
}
