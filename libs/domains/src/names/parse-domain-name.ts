import { isWildcard, wildcardOf } from '@pets/contracts';
import { parse } from 'tldts';
import { fitsInDns, longestRequiredHost, MAX_NAME_LENGTH } from './required-hosts.js';
import { toAscii, toUnicode, withPlainDots } from './unicode-name.js';
import { baseNameOf } from './wildcard-name.js';

export type ParsedName =
  | {
      readonly ok: true;
      /** LDH ASCII (A-labels), lower case, no final dot; the first label of a wildcard is `*`. */
      readonly name: string;
      readonly unicodeName: string;
      /** The registrable domain by the public suffix list, private section included. */
      readonly apexName: string;
      readonly isApex: boolean;
    }
  | {
      readonly ok: false;
      readonly reason: string;
    };

export interface NamePolicy {
  /** The platform's own zone: names at or below it are refused. */
  readonly platformDomain: string;
  /** Whether `.test`, `.local` and similar names are allowed, for development. */
  readonly allowSpecialUseNames: boolean;
}

/**
 * Special-use names (RFC 6761 and the IANA registry) that never resolve on the public Internet. example.com, .net and
 * .org do resolve and are ordinary.
 */
const specialUseSuffixes = [
  'test',
  'local',
  'localhost',
  'invalid',
  'example',
  'internal',
  'onion',
  'alt',
  'home.arpa',
  'arpa',
];

/** RFC 1035 §2.3.1 as relaxed by RFC 1123 §2.1. */
const ldhLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** RFC 5890 §2.3.1: hyphens in the third and fourth position are reserved for prefixes such as `xn--`. */
const reservedLabel = /^..--/;
const A_LABEL_PREFIX = 'xn--';
const WWW = 'www.';
/** Invisible characters that are copied by accident: zero-width characters, soft hyphens, direction marks. */
const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]/g;
const scheme = /^[a-z][a-z0-9+.-]*:\/\/|^\/\//i;
/** UTF-16 code units of a name as it is typed: the longest name in Unicode has fewer. */
const MAX_TYPED_LENGTH = 2 * MAX_NAME_LENGTH;
/** More marks on one letter than any script has (UAX #15, Stream-Safe Text Format). To put them in order takes quadratic time. */
const stackedMarks = /\p{M}{31}/u;
/** A part of an IPv4 address as URL parsers read it: decimal, octal, hexadecimal. */
const numberPart = /^(?:\d+|0x[0-9a-f]*)$/;

/**
 * Parses what people paste as a domain name: in any case, in Unicode, with spaces around it, with a final dot, or as a URL.
 * @returns the name, or the rule that it breaks as a sentence for the user
 */
export function parseDomainName(input: string, policy: NamePolicy): ParsedName {
  const pasted = extractHost(input);
  if (!pasted.ok) return refuse(pasted.reason);
  const typed = pasted.host;
  const base = baseNameOf(typed);
  if (base.includes('*'))
    return refuse('A wildcard is `*` as the complete first label and nowhere else, such as *.example.com.');
  const plain = parsePlainName(base, policy);
  const parsed = plain.ok && isWildcard(typed) ? toWildcard(plain, policy) : plain;
  return parsed.ok ? refuseTooLong(parsed) : parsed;
}

/** Refuses a name for which a record that the set-up requires would be longer than DNS allows. */
function refuseTooLong(parsed: Extract<ParsedName, { ok: true }>): ParsedName {
  const host = longestRequiredHost(parsed.name, parsed.isApex);
  if (fitsInDns(host)) return parsed;
  const [label] = host.split('.', 1);
  return refuse(
    `The name is too long: the record ${label} that it needs would have ${host.length} characters; at most ${MAX_NAME_LENGTH} are allowed.`,
  );
}

/** The wildcard of a base. A public suffix was refused as the base: the names below it have different owners. */
function toWildcard(base: Extract<ParsedName, { ok: true }>, { platformDomain }: NamePolicy): ParsedName {
  const name = `*.${base.name}`;
  if (wildcardOf(platformDomain) === name)
    return refuse(`${name} would cover ${platformDomain}, which belongs to the platform.`);
  return { ...base, name, unicodeName: `*.${base.unicodeName}`, isApex: false };
}

function parsePlainName(typed: string, policy: NamePolicy): ParsedName {
  const name = toAscii(typed);
  if (name === null) return refuse('The name cannot be written as a host name.');
  const fault = findLabelFault(name);
  if (fault !== null) return refuse(fault);
  const unicodeName = toUnicode(name);
  if (unicodeName === null) return refuse('A label that begins with xn-- is not a valid internationalized label.');
  if (isAtOrBelow(name, policy.platformDomain))
    return refuse(`${policy.platformDomain} and the names below it belong to the platform.`);

  const special = specialUseSuffixes.find((suffix) => isAtOrBelow(name, suffix));
  if (special !== undefined && !policy.allowSpecialUseNames)
    return refuse(`.${special} is a special-use name that the public DNS does not serve.`);

  const domain = registrableDomainOf(name);
  if (domain === null) return refuse(`${name} is a public suffix: other people register names below it.`);
  return { ok: true, name, unicodeName, apexName: domain, isApex: domain === name };
}

/** The counterpart of a name: `www.<apex>` for an apex and vice versa, in Unicode; null for any other name. */
export function pairedName(domain: {
  readonly name: string;
  readonly unicodeName: string;
  readonly apexName: string;
}): string | null {
  if (domain.name === domain.apexName) return `${WWW}${domain.unicodeName}`;
  return domain.name === `${WWW}${domain.apexName}` ? domain.unicodeName.slice(WWW.length) : null;
}

function refuse(reason: string): ParsedName {
  return { ok: false, reason };
}

type ExtractedHost = { readonly ok: true; readonly host: string } | { readonly ok: false; readonly reason: string };

/** Accepts any case, spaces around the name, a final dot, or a URL with scheme, port and path. */
function extractHost(input: string): ExtractedHost {
  const text = input.replaceAll(invisible, '').trim();
  const typed = text.replace(scheme, '').replace(/[/?#\\][^]*/, '');
  if (typed.length > MAX_TYPED_LENGTH)
    return {
      ok: false,
      reason: `The name has ${typed.length} characters; at most ${MAX_NAME_LENGTH} are allowed.`,
    };
  if (stackedMarks.test(typed)) return { ok: false, reason: 'The name cannot be written as a host name.' };
  const authority = withPlainDots(typed.normalize('NFC').toLowerCase());
  if (authority.includes('@'))
    return { ok: false, reason: 'This is an e-mail or user address. Enter only the host name.' };
  if (isBracketedOrBareIpv6(authority)) return { ok: false, reason: 'An IP address is not a domain name.' };
  const host = authority.replace(/:\d{0,5}$/, '').replace(/\.$/, '');
  if (host === '') return { ok: false, reason: 'The name is empty.' };
  if (/[\s:%]/.test(host))
    return { ok: false, reason: 'Enter only the host name, such as docs.example.com, or the URL of the site.' };
  return { ok: true, host };
}

function isBracketedOrBareIpv6(authority: string): boolean {
  return (
    /^\[[0-9a-f:.%]+\](?::\d+)?$/.test(authority) ||
    (/^[0-9a-f:.]+$/.test(authority) && authority.split(':').length > 2)
  );
}

function findLabelFault(name: string): string | null {
  if (name.length > MAX_NAME_LENGTH)
    return `The name has ${name.length} characters; at most ${MAX_NAME_LENGTH} are allowed.`;
  const labels = name.split('.');
  const lastLabel = name.slice(name.lastIndexOf('.') + 1);
  // Addresses first, so that `2130706433` and `0x7f.1` are not reported as labels.
  if (numberPart.test(lastLabel) && labels.length <= 4) return 'An IP address is not a domain name.';
  for (const label of labels) {
    if (label === '') return 'The name has an empty label (two dots in a row, or a leading dot).';
    if (label.length > 63)
      return `The label "${label.slice(0, 20)}…" has ${label.length} characters; at most 63 are allowed.`;
    if (!ldhLabel.test(label)) return `The label "${label}" may contain only letters, digits and inner hyphens.`;
    if (reservedLabel.test(label) && !label.startsWith(A_LABEL_PREFIX))
      return `The label "${label}" has hyphens in the third and fourth position, which is reserved.`;
  }
  if (labels.length === 1) return 'A single label is not a domain name. Enter a name such as docs.example.com.';
  if (numberPart.test(lastLabel)) return 'The last label is a number; a domain name cannot end in a number.';
  return null;
}

function isAtOrBelow(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}

/** The registrable domain by the public suffix list, private section included; null for a public suffix. */
export function registrableDomainOf(name: string): string | null {
  return parse(name, { allowPrivateDomains: true, validateHostname: false }).domain;
}

/**
 * Whether a name is an entry of the public suffix list of this version, private section included. The rule for names that
 * the list does not have, where the last label is a suffix, does not count.
 * @param name A-labels
 */
export function isPublicSuffix(name: string): boolean {
  const { hostname, publicSuffix, isIcann, isPrivate } = parse(name, {
    allowPrivateDomains: true,
    validateHostname: false,
  });
  return hostname === publicSuffix && (isIcann === true || isPrivate === true);
}

/** Whether a zone is a registry's: a public suffix that is not in the private section of the list, or the root. */
export function isRegistryZone(zone: string): boolean {
  const { hostname, publicSuffix } = parse(zone, { validateHostname: false });
  return hostname === publicSuffix;
}
