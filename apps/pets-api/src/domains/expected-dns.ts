import type { ExpectedDns } from '@pets/contracts';
import { ownershipHostFor, targetHostFor } from '@pets/domains';

/** What a domain's name has to show in DNS, from its row or from claimed work. */
export function expectedDnsOf(
  domain: { name: string; apexName: string; targetToken: string; needsOwnershipProof: boolean },
  platformDomain: string,
): ExpectedDns {
  return {
    name: domain.name,
    isApex: domain.name === domain.apexName,
    targetHost: targetHostFor(domain.targetToken, platformDomain),
    ownershipHost: domain.needsOwnershipProof ? ownershipHostFor(domain.name) : null,
  };
}
