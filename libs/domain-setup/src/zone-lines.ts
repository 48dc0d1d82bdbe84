import type { DomainIssue, RequiredRecord, SetupDomain } from '@pets/contracts';
import type { ZoneRecord } from '@pets/dns-providers';
import { pointsElsewhere } from './status.js';

/** A record of the zone, and what the owner has to do with it at the DNS provider. */
export interface ZoneLine {
  readonly action: 'delete' | 'change' | 'add' | 'keep';
  /** The record as it has to be, or as it is where it has to go; its name is relative to the registrable domain. */
  readonly record: ZoneRecord;
  /** The type, the name, the value or the state of the proxy that has to be changed. */
  readonly wrong?: Partial<Pick<ZoneRecord, 'type' | 'name' | 'value'> & { readonly proxy: string }>;
  /** The purpose for which the domain needs it; null for others. */
  readonly purpose: RequiredRecord['purpose'] | 'caa' | null;
  /** Records to create instead of it, all of them; of one to keep, those that are there instead. */
  readonly alternatives: readonly ZoneRecord[];
  /** The name servers that show it; null where a look-up cannot tell. */
  readonly seen: Sightings | null;
}

/** Name servers that show a record, of those that were asked. */
interface Sightings {
  readonly count: number;
  readonly total: number;
}

/** Facts on which the records of a zone depend. */
export type ZoneFacts = Pick<SetupDomain, 'name' | 'apexName' | 'state' | 'records' | 'ownership' | 'dns' | 'issues'>;

/** The records of a zone that concern a domain, as they are and as they must be: first those to delete, then those to have. */
export function zoneLines(domain: ZoneFacts): ZoneLine[] {
  const routing = domain.records.find(({ purpose }) => purpose === 'routing');
  const changed = domain.dns.conflicts.filter(({ action, type }) => action === 'change' && type === routing?.type);
  const deleted = domain.dns.conflicts.filter((conflict) => !changed.includes(conflict));
  const needed = domain.records.filter(({ optional }) => optional !== true);
  return [
    ...deleted.map(({ type, name, value }) => deletion(domain, type, name, value)),
    ...domain.issues.flatMap((issue) => deletionsOf(issue, domain)),
    ...needed.map((record) => neededLine(record, domain, record === routing ? changed[0]?.value : undefined)),
    ...domain.issues.flatMap((issue) => permittingCaa(issue, domain)),
  ];
}

/** Whether there is something to do at the DNS provider. */
export function hasChanges(lines: readonly ZoneLine[]): boolean {
  return lines.some(({ action }) => action !== 'keep');
}

/** The line of a record of a domain that is not needed to go live. */
export function optionalLine(record: RequiredRecord, domain: ZoneFacts): ZoneLine {
  return neededLine(record, domain, undefined);
}

export function deletion(domain: ZoneFacts, type: string, name: string, value: string): ZoneLine {
  const record = { type, name: relativeName(name, domain.apexName), value, ttl: 0 };
  const seen = sightingsOf(record, domain);
  // Records that a check does not look up are seen nowhere.
  return { action: 'delete', record, purpose: null, alternatives: [], seen: seen?.count === 0 ? null : seen };
}

/** Records that issues name and no check reports as conflicts. */
function deletionsOf({ code, evidence }: DomainIssue, domain: ZoneFacts): ZoneLine[] {
  const textsOf = (key: string) => [evidence[key] ?? []].flat().map(String);
  const [at = domain.name] = textsOf(code === 'caa_forbids' ? 'at' : code === 'address_retiring' ? 'name' : 'host');
  if (code === 'delegation_shadowed' || code === 'ownership_txt_of_others')
    return textsOf('seen').map((value) => deletion(domain, 'TXT', at, value));
  if (code === 'address_retiring')
    return textsOf('seen').map((value) => deletion(domain, value.includes(':') ? 'AAAA' : 'A', at, value));
  if (code !== 'caa_forbids') return [];
  return textsOf('blocking').map((text) => {
    const caa = parseCaa(text);
    const line = deletion(domain, 'CAA', at, caa?.value ?? text);
    return caa === null ? line : { ...line, record: { ...line.record, caa } };
  });
}

/** @param old the value of a record to change */
function neededLine(required: RequiredRecord, domain: ZoneFacts, old: string | undefined): ZoneLine {
  const { type, name, value, ttl, purpose, alternatives = [] } = required;
  const line = { record: { type, name, value, ttl }, purpose, seen: sightingsOf(required, domain) };
  const wrong = old === undefined ? wrongPart(required, domain) : { value: old };
  if (wrong !== null) return { ...line, action: 'change', wrong, alternatives };
  return isThere(required, domain)
    ? { ...line, action: 'keep', alternatives: alternatives.filter((each) => shownBy(each, domain).size > 0) }
    : { ...line, action: 'add', alternatives };
}

/** The part of an existing record that is wrong; null for none. */
function wrongPart({ purpose }: RequiredRecord, domain: ZoneFacts): ZoneLine['wrong'] | null {
  const issue = (code: DomainIssue['code']) => domain.issues.find((each) => each.code === code)?.evidence;
  if (purpose === 'ownership') {
    const found = issue('ownership_txt_missing');
    const enteredAt = found?.['enteredAt'];
    if (enteredAt !== undefined) return { name: relativeName(String(enteredAt), domain.apexName) };
    const [value, ...others] = [found?.['seen'] ?? []].flat();
    return found?.['hint'] === undefined || value === undefined || others.length > 0 ? null : { value: String(value) };
  }
  if (purpose === 'delegation') {
    const [value] = [(issue('delegation_missing') ?? issue('delegation_mismatch'))?.['seen'] ?? []].flat();
    return value === undefined ? null : { value: String(value) };
  }
  const entered = issue('entered_with_zone')?.['seen'];
  // As it was entered, so that it is found in the list of the provider.
  if (entered !== undefined) return { name: relativeName(String(entered), domain.apexName) };
  if (issue('apex_cname_to_us') !== undefined) return { type: 'CNAME' };
  return issue('proxied_by_cdn') === undefined ? null : { proxy: 'Proxied' };
}

function isThere(record: RequiredRecord, domain: ZoneFacts): boolean {
  const { state, ownership, dns, issues } = domain;
  if (isAtAnyServer(record, domain)) return true;
  if (record.purpose === 'ownership') return ownership.state === 'proven';
  if (record.purpose === 'delegation') return false;
  if (state === 'removed' || issues.some(pointsElsewhere)) return false;
  // An ALIAS cannot be seen: providers answer with addresses.
  const name = fullName(record.name, domain.apexName);
  return state !== 'awaiting_dns' || dns.observed.some((seen) => isAddress(seen.type) && isSame(seen.name, name));
}

function isAtAnyServer(record: RequiredRecord, domain: ZoneFacts): boolean {
  const { alternatives } = record;
  if (alternatives !== undefined && alternatives.every((each) => shownBy(each, domain).size > 0)) return true;
  return record.type !== 'ALIAS' && shownBy(record, domain).size > 0 && !domain.issues.some(isMissingProof(record));
}

const isMissingProof =
  ({ purpose }: RequiredRecord) =>
  ({ code }: DomainIssue) =>
    purpose === 'ownership' && code === 'ownership_txt_missing';

/** The name servers that show a record; null where a look-up cannot tell. */
export function sightingsOf(record: Omit<ZoneRecord, 'ttl'>, domain: ZoneFacts): Sightings | null {
  if (record.type === 'ALIAS' || domain.dns.checkedAt === null) return null;
  const asked = domain.issues.flatMap(({ evidence }) => [evidence['servers'] ?? [], evidence['stale'] ?? []]);
  const total = new Set([...domain.dns.observed.map(({ resolver }) => resolver), ...asked.flat().map(String)]).size;
  return total === 0 ? null : { count: shownBy(record, domain).size, total };
}

/** The name servers that returned a record. */
function shownBy({ type, name, value }: Omit<ZoneRecord, 'ttl'>, domain: ZoneFacts): Set<string> {
  const same = observationsOf(domain, fullName(name, domain.apexName)).filter(
    (seen) => seen.type === type && isSameValue(type, seen.value, value),
  );
  return new Set(same.map(({ resolver }) => resolver));
}

/** The records that the last check found at a complete name. */
function observationsOf({ dns }: Pick<ZoneFacts, 'dns'>, name: string): ZoneFacts['dns']['observed'] {
  return dns.observed.filter((seen) => isSame(seen.name, name));
}

/** The CAA record that would let our certificate authority issue. */
function permittingCaa({ code, evidence }: DomainIssue, { apexName }: ZoneFacts): ZoneLine[] {
  if (code !== 'caa_forbids') return [];
  const [name = '', text] = String(evidence['permitting'] ?? '').split('. CAA ');
  const caa = parseCaa(text ?? '');
  if (caa === null) return [];
  const record = { type: 'CAA', name: relativeName(name, apexName), value: caa.value, ttl: 3600, caa };
  return [{ action: 'add', record, purpose: 'caa', alternatives: [], seen: null }];
}

/** Parts of a CAA record in the form of a zone file (RFC 8659 §4.1.1). */
function parseCaa(text: string) {
  const [flags, tag, ...rest] = text.split(' ');
  if (flags === undefined || tag === undefined || rest.length === 0) return null;
  return { flags, tag, value: rest.join(' ').replaceAll('"', '') };
}

/** A name as it is entered at a DNS provider: without the zone, and `@` for the zone itself. */
function relativeName(name: string, apexName: string): string {
  if (name === apexName) return '@';
  return name.endsWith(`.${apexName}`) ? name.slice(0, -(apexName.length + 1)) : name;
}

/** A name as it is in DNS. */
export function fullName(name: string, apexName: string): string {
  return name === '@' ? apexName : `${name}.${apexName}`;
}

function isAddress(type: string): boolean {
  return type === 'A' || type === 'AAAA';
}

function isSameValue(type: string, one: string, other: string): boolean {
  return type === 'TXT' ? one === other : isSame(one, other);
}

/** Names are equal without regard to case and to the dot at their end (RFC 1035 §2.3.3). */
function isSame(one: string, other: string): boolean {
  const normalize = (name: string) => name.toLowerCase().replace(/\.$/, '');
  return normalize(one) === normalize(other);
}
