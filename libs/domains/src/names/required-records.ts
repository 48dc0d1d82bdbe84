import type { RequiredRecord } from '@pets/contracts';

/** Seconds, as the set-up instructions give it. */
const RECORD_TTL = 3600;

/** The label under which the ownership proof is published. */
const OWNERSHIP_LABEL = '_platform-challenge';

export interface NamedTarget {
  readonly name: string;
  readonly apexName: string;
  /** `<token>.cname.<platform domain>`. */
  readonly targetHost: string;
}

/** The host that a domain points at. Unique to (organization, name), so that a dangling CNAME serves nobody else. */
export function targetHostFor(token: string, platformDomain: string): string {
  return `${token}.cname.${platformDomain}`;
}

/** The full name of the ownership TXT record of a domain. */
export function ownershipHostFor(name: string): string {
  return `${OWNERSHIP_LABEL}.${name}`;
}

/** Subdomain: a CNAME. Apex: ALIAS (some providers say ANAME), since a CNAME may not stand beside SOA and NS (RFC 1034 §3.6.2). */
export function routingRecord({ name, apexName, targetHost }: NamedTarget): RequiredRecord {
  return {
    type: name === apexName ? 'ALIAS' : 'CNAME',
    name: relativeName(name, apexName),
    value: targetHost,
    ttl: RECORD_TTL,
    purpose: 'routing',
  };
}

/** The TXT that proves ownership where a CNAME alone does not. */
export function ownershipRecord({ name, apexName }: Omit<NamedTarget, 'targetHost'>, token: string): RequiredRecord {
  return {
    type: 'TXT',
    name: relativeName(ownershipHostFor(name), apexName),
    value: token,
    ttl: RECORD_TTL,
    purpose: 'ownership',
  };
}

/** As one types it at a registrar: `docs` for docs.example.com, `@` for example.com itself. */
function relativeName(name: string, apexName: string): string {
  return name === apexName ? '@' : name.slice(0, -(apexName.length + 1));
}
