import { promises as dns, type CaaRecord } from 'node:dns';
import { baseOf, isWildcard } from './orders.js';
import { Problem } from './problem.js';

/** The name that CAA records call this CA by (RFC 8555 §7.1.1). */
export const CAA_IDENTITY = 'dev-ca.test';

const DNS_LIMIT_MS = 2_000;
/** Tags that are understood, or that say nothing about issuance; others, when critical, forbid it (RFC 8659 §4.1). */
const knownTags = new Set(['issue', 'issuewild', 'iodef', 'issuemail', 'issuevmc', 'contactemail', 'contactphone']);
/** RFC 8659 §4.1: bit 0, the highest, is the critical one. Public CAs take the lowest for critical too. */
const CRITICAL_BITS = 0x81;

type CaaPolicy = { readonly accountUrl: string; readonly method: string };

/**
 * Whether the owner lets this CA issue for a name by a method (RFC 8659, with the parameters of RFC 8657).
 * @throws Problem `caa` when not, `dns` when it could not be found out
 */
export async function assertCaaPermits(name: string, policy: CaaPolicy, dnsServers: readonly string[]): Promise<void> {
  const resolver = new dns.Resolver({ timeout: DNS_LIMIT_MS, tries: 2 });
  if (dnsServers.length > 0) resolver.setServers(dnsServers);
  const labels = baseOf(name).split('.');
  // RFC 8659 §3: from the name upwards, until a set that is not empty.
  for (let index = 0; index < labels.length; index++) {
    const holder = labels.slice(index).join('.');
    const records = await recordsAt(resolver, holder);
    if (records.length === 0) continue;
    if (!permits(records, policy, isWildcard(name)))
      throw new Problem('caa', `CAA record for ${holder} prevents issuance for ${name} by ${CAA_IDENTITY}`);
    return;
  }
}

/** Whether a CAA set permits issuance; tags are compared without regard to case (RFC 8659 §4.1). */
function permits(records: readonly CaaRecord[], policy: CaaPolicy, isForWildcard: boolean): boolean {
  const properties = records.flatMap(propertiesOf);
  if (properties.some(({ critical, tag }) => (critical & CRITICAL_BITS) !== 0 && !knownTags.has(tag))) return false;
  // RFC 8659 §4.3: `issuewild` decides on a wildcard, if the set has it.
  const isWild = isForWildcard && properties.some(({ tag }) => tag === 'issuewild');
  const issuers = properties.filter(({ tag }) => tag === (isWild ? 'issuewild' : 'issue'));
  return issuers.length === 0 || issuers.some(({ value }) => isMeant(value, policy));
}

/** Returns the properties of a record without the record type that Node adds. */
function propertiesOf({ critical, ...tagged }: CaaRecord) {
  return Object.entries(tagged)
    .filter(([tag, value]) => !(tag === 'type' && value === 'CAA'))
    .map(([tag, value]) => ({ critical, tag: tag.toLowerCase(), value: String(value) }));
}

/** RFC 8659 §4.2, as strict as public CAs are: one malformed parameter, or one given twice, and the record permits nothing. */
function isMeant(text: string, { accountUrl, method }: CaaPolicy): boolean {
  const [issuer = '', ...rest] = text.split(';').map(trimmed);
  const parameters = (rest.length === 1 && rest[0] === '' ? [] : rest).map(parseParameter);
  const [methods, accounts] = ['validationmethods', 'accounturi'].map((wanted) =>
    parameters.flatMap((parameter) => (parameter?.tag === wanted ? [parameter.value] : [])),
  );
  return (
    issuer.toLowerCase() === CAA_IDENTITY &&
    !parameters.includes(null) &&
    isAtMostOne(methods, (value) => value.split(',').includes(method)) &&
    isAtMostOne(accounts, (value) => value === accountUrl)
  );
}

function parseParameter(text: string): { readonly tag: string; readonly value: string } | null {
  const equals = text.indexOf('=');
  const tag = trimmed(text.slice(0, Math.max(0, equals)));
  const value = trimmed(text.slice(equals + 1));
  return /^[A-Za-z0-9]+$/.test(tag) && /^[\x21-\x7e]*$/.test(value) ? { tag: tag.toLowerCase(), value } : null;
}

function isAtMostOne(values: readonly string[] = [], isRight: (value: string) => boolean): boolean {
  return values.length <= 1 && values.every(isRight);
}

function trimmed(text: string): string {
  return text.replaceAll(/^[ \t]+|(?<![ \t])[ \t]+$/g, '');
}

async function recordsAt(resolver: dns.Resolver, name: string): Promise<CaaRecord[]> {
  try {
    return await resolver.resolveCaa(name);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'; // what node:dns throws
    if (code === 'ENODATA' || code === 'ENOTFOUND') return [];
    throw new Problem('dns', `looking up CAA for ${name}: ${code}`);
  }
}
