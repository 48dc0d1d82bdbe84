import type { ExpectedDns } from '@pets/contracts';

/** Returns the DNS a check expects: the record of a subdomain that points to its target, and the parts a test adds. */
export function expectedDns(parts: Partial<ExpectedDns> & Pick<ExpectedDns, 'name'>): ExpectedDns {
  return {
    isApex: false,
    targetHost: 't1.cname.pets.example',
    addresses: [],
    retiringAddresses: [],
    wildcardTargetHost: null,
    ownershipHost: null,
    ownershipToken: null,
    isProofByAddress: false,
    wwwTargetHost: null,
    delegation: null,
    ...parts,
  };
}
