import type { DomainIssue } from '@pets/contracts';
import {
  anyProvider,
  formOf,
  providerById,
  providerOf,
  type DnsProvider,
  type FormField,
  type ZoneRecord,
} from '@pets/dns-providers';
import { formatTime } from './format.js';
import { setupTexts, type SetupTexts } from './texts.js';
import { fullName, zoneLines, type ZoneFacts, type ZoneLine } from './zone-lines.js';

/** Whether the provider has no record type for an ALIAS that has to be made. */
export function isImpossible({ action, record }: ZoneLine, provider: DnsProvider): boolean {
  return record.type === 'ALIAS' && provider.apexType === null && action !== 'keep';
}

/** A name to use instead of an apex, since no record of the provider points that to a host name. */
interface WwwInstead {
  readonly www: string;
  /** The name of the provider. */
  readonly provider: string;
}

/**
 * Says what to use instead of an apex that no record can lead here; null where one can.
 * @param chosen the id of the provider that the user chose; null for the one that the name servers are of
 */
export function wwwInsteadOf(domain: ZoneFacts, chosen: string | null): WwwInstead | null {
  const provider = chosen === null ? providerOf(domain.dns.nameServers) : providerById(chosen);
  if (provider === null || !zoneLines(domain).some((line) => isImpossible(line, provider))) return null;
  return { www: `www.${domain.apexName}`, provider: provider.label };
}

/** The lines as they are at a provider: of a record that exists, one without ALIAS has addresses of ours instead. */
export function linesAt(lines: readonly ZoneLine[], { apexType }: DnsProvider): readonly ZoneLine[] {
  return lines.flatMap((line) => {
    const { action, record, wrong, alternatives } = line;
    const exists = action === 'keep' || (action === 'change' && wrong?.name !== undefined);
    if (!exists || alternatives.length === 0) return [line];
    const kept = record.type === 'ALIAS' && apexType === null ? alternatives : [record];
    return kept.map((each) => ({ ...line, record: each, alternatives: [] }));
  });
}

/** The fields of a line. A record to delete is found by its type, name and value. */
export function fieldsOf({ action, record }: ZoneLine, provider: DnsProvider): readonly FormField[] {
  const fields = formOf(provider, record);
  return action === 'delete' ? fields.filter(({ key }) => key !== 'ttl' && key !== 'proxy') : fields;
}

/** A field that is copied or changed, as it is shown. */
export interface ShownField {
  /** Whether the user enters it, and can copy it. */
  readonly isCopied: boolean;
  /** Value that is there at present, if it is wrong. */
  readonly old: string | undefined;
  /** Subject of a copy button, in words. */
  readonly what: string;
}

/** Whether other lines may have the same type. */
export function isOneOfSeveral({ action, record: { type } }: ZoneLine): boolean {
  return action === 'delete' || type === 'A' || type === 'AAAA';
}

/** @param isExact whether other lines may have the same type, so that the value is part of the accessible names */
export function shownField(
  { key, label }: FormField,
  { type, value }: ZoneRecord,
  wrong: ZoneLine['wrong'],
  isExact: boolean,
): ShownField {
  const isCopied = key === 'name' || key === 'value';
  const old = isCopied || key === 'type' || key === 'proxy' ? wrong?.[key] : undefined;
  return { isCopied, old, what: `${label} (${isExact ? `${type} ${value}` : type})` };
}

/** Whether name servers show the record, or no longer show one to delete, in words; null where a look-up cannot tell. */
export function sightingText(
  { action, seen }: Pick<ZoneLine, 'action' | 'seen'>,
  until: string | null,
  { zone }: SetupTexts = setupTexts,
): { readonly text: string; readonly isFound: boolean } | null {
  if (action === 'delete') return seen === null ? null : deletionText(seen, until, zone);
  const isUnseen = seen === null || seen.count === 0;
  if (isUnseen && action !== 'keep') return { text: zone.notFound, isFound: false };
  if (isUnseen || seen.count >= seen.total) return { text: zone.found, isFound: true };
  return { text: zone.foundAt(seen.count, seen.total, until), isFound: false };
}

function deletionText(
  { count, total }: NonNullable<ZoneLine['seen']>,
  until: string | null,
  zone: SetupTexts['zone'],
): { readonly text: string; readonly isFound: boolean } {
  if (count === 0) return { text: zone.gone, isFound: true };
  const text = count < total ? zone.goneAt(total - count, total, until) : zone.stillThere;
  return { text, isFound: false };
}

export function keyOfRecord({ type, name, value }: ZoneRecord): string {
  return `${type} ${name} ${value}`;
}

/** When the last cached copy of old records expires, in words; null if unknown. */
export function untilOf(issues: readonly DomainIssue[]): string | null {
  const at = issues.map(({ evidence }) => evidence['expectedBy']).find((time) => typeof time === 'string');
  return at === undefined || Number.isNaN(Date.parse(at)) ? null : formatTime(at);
}

/** Text about the company that hosts the zone, and how to reach its form. */
export function providerText(
  apexName: string,
  nameServers: readonly string[],
  { provider, detected }: { readonly provider: DnsProvider; readonly detected: DnsProvider | null },
  { zone }: SetupTexts = setupTexts,
): string {
  const unknown = nameServers.length === 0 ? null : zone.unknownHost(apexName, nameServers.join(', '));
  const host = detected === null ? unknown : zone.hostedBy(apexName, detected.label);
  return [host, provider.navigation].filter((text) => text !== null).join(' ');
}

/** Advice about what is easily done wrong at the provider. */
export function hintsOf(
  apexName: string,
  lines: readonly ZoneLine[],
  provider: DnsProvider,
  { zone }: SetupTexts = setupTexts,
): readonly string[] {
  const entered = lines.filter(({ action }) => action === 'add' || action === 'change');
  if (entered.length === 0) return [];
  const has = (test: (line: ZoneLine) => boolean) => entered.some(test);
  const named = entered.find(({ record, purpose }) => record.name !== '@' && purpose !== 'caa');
  const isKnown = provider !== anyProvider && provider.lookedAt !== null;
  const hasAddresses = has(({ alternatives }) => alternatives.length > 0);
  return [
    named && zone.names(isKnown ? provider.label : null, apexName, fullName(named.record.name, apexName)),
    has(({ record }) => record.name === '@') && zone.apex(apexName, provider.apexName),
    provider.appendsZone && has(({ record }) => record.type === 'CNAME') && zone.dots(provider.label),
    has(({ purpose }) => purpose === 'ownership') && `${zone.proof}${hasAddresses ? ` ${zone.proofOfAddresses}` : ''}`,
    provider.apexType === 'ALIAS or ANAME' && has(({ record }) => record.type === 'ALIAS') && zone.aliasNames,
    provider.groupsValues && hasAddresses && zone.grouped(provider.label),
    ...forwardHints(apexName, lines, provider, zone.forward),
    has(({ purpose }) => purpose === 'caa') && (provider.groupsValues ? zone.caaLine(provider.label) : zone.caa),
    has(({ purpose }) => purpose === 'routing') && !lines.some(({ action }) => action === 'delete') && provider.caution,
  ].filter((hint) => typeof hint === 'string');
}

/** How visitors of an apex that no record can lead here get here all the same: its provider forwards them to the www name. */
function forwardHints(
  apexName: string,
  lines: readonly ZoneLine[],
  provider: DnsProvider,
  forward: SetupTexts['zone']['forward'],
): readonly string[] {
  const has = (name: string) => lines.some(({ record, purpose }) => record.name === name && purpose === 'routing');
  if (lines.some((line) => isImpossible(line, provider)))
    return [forward.instead(apexName, provider.label, has('www')), forward.tls(apexName, provider.label)];
  const isAlone = has('www') && !has('@') && provider.apexType === null;
  return isAlone ? [forward.asWell(apexName, provider.label), forward.tls(apexName, provider.label)] : [];
}
