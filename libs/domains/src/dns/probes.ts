import type { ExpectedDns } from '@pets/contracts';

/**
 * Two more questions, put only where a name does not point here, that tell the usual mistakes apart: does a wildcard
 * record answer for the name (then a sibling nobody has made answers too), and was the name created with its zone twice?
 */
const SIBLING_PREFIX = 'wildcard-probe-';
const siblingPattern = /^wildcard-probe-[0-9a-f]{16}\./;

/** A sibling of the name that nobody has made. `nonce` is 16 hexadecimal digits. */
export function wildcardProbeOf(name: string, nonce: string): string {
  return `${SIBLING_PREFIX}${nonce}.${parentOf(name)}`;
}

/** Where the record stands when the whole name was typed into a form that appends the zone. */
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

/** A name below this one that nobody has made: that there is none is said by the zone it would be in. */
export function zoneProbeOf(name: string, nonce: string): string {
  return `${ZONE_PREFIX}${nonce}.${name}`;
}

/** Whether this is such a name, below that one. */
export function isZoneProbe(host: string, name: string): boolean {
  return zonePattern.test(host) && parentOf(host) === name;
}

/** Whether this name was asked for only to learn how its zone answers. */
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

/** Host names compare without case and final dot (RFC 4343, RFC 1034 §3.1). */
export function hostOf(value: string): string {
  return value.toLowerCase().replace(/\.$/, '');
}
