import { isWildcard } from '@pets/contracts';
import { baseNameOf } from './wildcard-name.js';

/** RFC 1035 §2.3.4: the longest name, as text without the final dot. */
export const MAX_NAME_LENGTH = 253;

/** The label under which the ownership proof is published. */
const OWNERSHIP_LABEL = '_platform-challenge';

/** RFC 8555 §8.4: where a CA looks up the answers to DNS-01 challenges. */
const CHALLENGE_LABEL = '_acme-challenge';

/** The full name of the ownership TXT record of a domain; a wildcard has that of its base. */
export function ownershipHostFor(name: string): string {
  return `${OWNERSHIP_LABEL}.${baseNameOf(name)}`;
}

/** The name at which a CA looks for the challenges of a domain (RFC 8555 §8.4). */
export function challengeHostFor(name: string): string {
  return `${CHALLENGE_LABEL}.${baseNameOf(name)}`;
}

/** Whether DNS can have a record at a host. A long name leaves no room for a label before it. */
export function fitsInDns(host: string): boolean {
  return host.length <= MAX_NAME_LENGTH;
}

/**
 * The longest of the names at which a domain requires a record: that of the delegation of a wildcard, of the proof of an apex,
 * which may match by its addresses, and else the name itself.
 */
export function longestRequiredHost(name: string, isApex: boolean): string {
  if (isWildcard(name)) return challengeHostFor(name);
  return isApex ? ownershipHostFor(name) : name;
}
