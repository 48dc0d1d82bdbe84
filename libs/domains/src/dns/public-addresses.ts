import type { DnsFindings, DnsLookup, ExpectedDns } from '@pets/contracts';
import { valuesOf } from './dns-views.js';
import { isOneOf } from './evaluate-server.js';
import { parseIpAddress, recordTypeOf } from './ip-address.js';
import { isPublicAddress, proxyOfAddress } from './address-ranges.js';

/**
 * The public addresses of the platform: the operator lists them, and only these are offered as A and AAAA records. One that is
 * retiring still counts as ours and is offered to nobody.
 */
export interface PublicAddress {
  /** Address as the database writes it. */
  readonly address: string;
  /** Null while it is offered. */
  readonly retiringSince: Date | null;
}

/** Returns why an address cannot be listed; null if it can. `isShared`: it is of a proxy, where other sites are too. */
export function findAddressFault(address: string): { readonly problem: string; readonly isShared: boolean } | null {
  if (parseIpAddress(address) === null) return { problem: 'is not an IP address', isShared: false };
  if (!isPublicAddress(address))
    return { problem: 'is not a public address: visitors could not reach it from everywhere', isShared: false };
  const proxy = proxyOfAddress(address);
  return proxy === null
    ? null
    : { problem: `is an address of ${proxy}, where sites of others are as well`, isShared: true };
}

/** The listed addresses in the form in which a check gets them. */
export function expectedAddresses(
  listed: readonly PublicAddress[],
): Pick<ExpectedDns, 'addresses' | 'retiringAddresses'> {
  const retiring = listed.filter(({ retiringSince }) => retiringSince !== null);
  return { addresses: listed.map(addressOf), retiringAddresses: retiring.map(addressOf) };
}

/** The addresses that owners may put into records. */
export function offeredAddresses({
  addresses,
  retiringAddresses,
}: Pick<ExpectedDns, 'addresses' | 'retiringAddresses'>): readonly string[] {
  return addresses.filter((address) => !retiringAddresses.includes(address));
}

/**
 * Returns the addresses that any server shows at the name, in the given order.
 * @returns undefined where nothing is known: no server has answered
 */
export function shownAddresses(
  { lookups }: DnsFindings,
  name: string,
  addresses: readonly string[],
): readonly string[] | undefined {
  const own = lookups.filter((lookup) => lookup.name === name && isRouting(lookup));
  if (own.every(({ answer }) => answer.kind === 'failed')) return undefined;
  const shown = own
    .filter(({ type, alias }) => type !== 'CNAME' && alias === undefined)
    .flatMap(({ answer }) => valuesOf(answer));
  return addresses.filter((address) => isOneOf(address, shown));
}

/** The evidence with the address records that may be created; none where no addresses are listed. */
export function addressRecordsOf(expected: Pick<ExpectedDns, 'addresses' | 'retiringAddresses'>): {
  readonly addressRecords?: readonly string[];
} {
  const records = offeredAddresses(expected).map((address) => `${recordTypeOf(address)} ${address}`);
  return records.length === 0 ? {} : { addressRecords: records };
}

function isRouting({ type }: DnsLookup): boolean {
  return type === 'A' || type === 'AAAA' || type === 'CNAME';
}

function addressOf({ address }: PublicAddress): string {
  return address;
}
