import type { RequiredRecord } from '@pets/contracts';

/** The TTL of the set-up instructions, in seconds. */
const RECORD_TTL = 3600;

/** The label under which the ownership proof is published. */
const OWNERSHIP_LABEL = '_platform-challenge';

export interface NamedTarget {
  readonly name: string;
  readonly apexName: string;
  /** `<token>.cname.<platform domain>`. */
  readonly targetHost: string;
}

/** The target of a domain's CNAME. Unique to (organization, name), so that a dangling CNAME serves no other organization. */
export function targetHostFor(token: string, platformDomain: string): string {
  return `${token}.cname.${platformDomain}`;
}

/** The full name of the ownership TXT record of a domain. */
export function ownershipHostFor(name: string): string {
  return `${OWNERSHIP_LABEL}.${name}`;
}

/** A CNAME for a subdomain. An ALIAS (or ANAME) for an apex, since a CNAME conflicts with SOA and NS (RFC 1034 §3.6.2). */
export function routingRecord({ name, apexName, targetHost }: NamedTarget): RequiredRecord {
  return {
    type: name === apexName ? 'ALIAS' : 'CNAME',
    name: relativeName(name, apexName),
    value: targetHost,
    ttl: RECORD_TTL,
    purpose: 'routing',
  };
}

/** The TXT record that proves ownership if a CNAME does not. */
export function ownershipRecord({ name, apexName }: Omit<NamedTarget, 'targetHost'>, token: string): RequiredRecord {
  return {
    type: 'TXT',
    name: relativeName(ownershipHostFor(name), apexName),
    value: token,
    ttl: RECORD_TTL,
    purpose: 'ownership',
  };
}

/** The name as entered at a DNS provider: `docs` for docs.example.com, `@` for example.com. */
function relativeName(name: string, apexName: string): string {
  return name === apexName ? '@' : name.slice(0, -(apexName.length + 1));
}
