import type { ExpectedDns } from '@pets/contracts';

/**
 * Names that a check looks up to explain usual mistakes. If a name does not point here: does a wildcard record answer for it
 * (then a random sibling answers too), or was it created with its zone twice?
 */
const SIBLING_PREFIX = 'wildcard-probe-';
const siblingPattern = /^wildcard-probe-[0-9a-f]{16}\./;

/** A random sibling of the name; of a wildcard, a name that it covers. `nonce` is 16 hexadecimal digits. */
export function wildcardProbeOf(name: string, nonce: string): string {
  return `${SIBLING_PREFIX}${nonce}.${parentOf(name)}`;
}

/** The name of the record if the full name was entered in a form that appends the zone. */
export function doubledNameOf(name: string, zone: string): string {
  return `${name}.${zone}`;
}

export function isWildcardProbe(host: string): boolean {
  return siblingPattern.test(host);
}

export function isDoubledName(host: string, { name }: ExpectedDns): boolean {
  return host.startsWith(`${name}.`);
}

const ZONE_PREFIX = 'zone-probe-';
const zonePattern = /^zone-probe-[0-9a-f]{16}\./;

/** A random name below this one: its negative answer names the zone that it would be in. */
export function zoneProbeOf(name: string, nonce: string): string {
  return `${ZONE_PREFIX}${nonce}.${name}`;
}

/** Whether a host is a zone probe of the name. */
export function isZoneProbe(host: string, name: string): boolean {
  return zonePattern.test(host) && parentOf(host) === name;
}

/** Whether a host is a probe of any kind. */
export function isProbe(host: string): boolean {
  return isWildcardProbe(host) || zonePattern.test(host);
}

/** The `www.` name of an apex. */
export function wwwNameOf(apex: string): string {
  return `www.${apex}`;
}

/** The name without its first label; empty for a single label. */
export function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot === -1 ? '' : name.slice(dot + 1);
}

/** Normalizes a host name for comparison: lower case, without the final dot (RFC 4343, RFC 1034 §3.1). */
export function hostOf(value: string): string {
  return value.toLowerCase().replace(/\.$/, '');
}
