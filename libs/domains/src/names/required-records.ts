import { isWildcard, type ExpectedDelegation, type RequiredRecord } from '@pets/contracts';
import { isRegistryZone } from './parse-domain-name.js';
import { recordTypeOf } from '../dns/ip-address.js';
import { challengeHostFor, ownershipHostFor } from './required-hosts.js';

/** The TTL of the set-up instructions, in seconds. */
const RECORD_TTL = 3600;

export interface NamedTarget {
  readonly name: string;
  readonly apexName: string;
  /** The zone of the name, as a check has found it; null while unknown. */
  readonly zone: string | null;
  /** `<token>.cname.<platform domain>`. */
  readonly targetHost: string;
}

/** The target of a domain's CNAME. Unique to (organization, name), so that a dangling CNAME serves no other organization. */
export function targetHostFor(token: string, platformDomain: string): string {
  return `${token}.cname.${platformDomain}`;
}

/**
 * The record that delegates the DNS-01 challenges of a domain to our zone. The token belongs to the row of the domain: nobody
 * answers the challenges of a record that was left behind after a removal. A wildcard shares the record, and therefore the
 * token, with its base: the CA looks both up at the same name (RFC 8555 §8.4).
 * @param zone in which we publish the answers
 */
export function delegationFor(name: string, token: string, zone: string): ExpectedDelegation {
  return { host: challengeHostFor(name), target: `${token}.${zone}` };
}

/**
 * Whether a name is the apex of a zone. DNS decides; before a check has found the zone, the public suffix list does, and also
 * where the registry answers: it will hand the zone over to the servers of the owner. Below a private suffix, as js.org,
 * names can be records of one zone.
 */
export function isApexOf({ name, apexName, zone }: Pick<NamedTarget, 'name' | 'apexName' | 'zone'>): boolean {
  return zone === null || isRegistryZone(zone) ? name === apexName : name === zone;
}

/**
 * An ALIAS (or ANAME) for the apex of a zone, where a CNAME conflicts with SOA and NS (RFC 1034 §3.6.2); a CNAME for any
 * other name.
 */
export function routingRecord({ name, apexName, zone, targetHost }: NamedTarget): RequiredRecord {
  return {
    type: isApexOf({ name, apexName, zone }) ? 'ALIAS' : 'CNAME',
    name: relativeName(name, apexName),
    value: targetHost,
    ttl: RECORD_TTL,
    purpose: 'routing',
  };
}

/**
 * The address records that may be created in place of the routing record: at an apex whose provider has no ALIAS, and at a name
 * that shows addresses already. Undefined where none are offered.
 * @param addresses that are offered
 */
export function alternativeRecords(
  { type, name, ttl }: RequiredRecord,
  addresses: readonly string[],
  showsAddresses: boolean,
): RequiredRecord['alternatives'] {
  if (addresses.length === 0 || (type !== 'ALIAS' && !showsAddresses)) return undefined;
  return addresses.map((value) => ({ type: recordTypeOf(value), name, value, ttl }));
}

/** The TXT record that proves ownership if a CNAME does not. */
export function ownershipRecord(
  { name, apexName }: Pick<NamedTarget, 'name' | 'apexName'>,
  token: string,
): RequiredRecord {
  return {
    type: 'TXT',
    name: relativeName(ownershipHostFor(name), apexName),
    value: token,
    ttl: RECORD_TTL,
    purpose: 'ownership',
  };
}

/** The CNAME that lets us get the certificate while the name points elsewhere. A wildcard gets none without it. */
export function delegationRecord(
  { name, apexName }: Pick<NamedTarget, 'name' | 'apexName'>,
  { host, target }: ExpectedDelegation,
): RequiredRecord {
  return {
    type: 'CNAME',
    name: relativeName(host, apexName),
    value: target,
    ttl: RECORD_TTL,
    purpose: 'delegation',
    ...(!isWildcard(name) && { optional: true }),
  };
}

/** The name as entered at a DNS provider: `docs` for docs.example.com, `@` for example.com. */
function relativeName(name: string, apexName: string): string {
  return name === apexName ? '@' : name.slice(0, -(apexName.length + 1));
}
