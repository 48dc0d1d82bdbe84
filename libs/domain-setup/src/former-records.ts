import { pointsElsewhere } from './status.js';
import { keyOfRecord } from './zone-form.js';
import { deletion, sightingsOf, zoneLines, type ZoneFacts, type ZoneLine } from './zone-lines.js';

/**
 * The lines of records to delete that a page has shown, and those that the API says are gone: these are known after a reload as
 * well.
 */
export function followDeletions(known: readonly ZoneLine[], domain: ZoneFacts): readonly ZoneLine[] {
  const former = (domain.dns.former ?? []).filter(({ action }) => action === 'remove');
  const lines = [
    ...known,
    ...former.map(({ type, name, value }) => deletion(domain, type, name, value)),
    ...deletionsOf(domain),
  ];
  return [...new Map(lines.map((line): [string, ZoneLine] => [keyOfRecord(line.record), line])).values()];
}

/** The lines of records that were deleted, with the name servers that still show them. */
export function formerLines(known: readonly ZoneLine[], domain: ZoneFacts): readonly ZoneLine[] {
  const asked = new Set(deletionsOf(domain).map(({ record }) => keyOfRecord(record)));
  return known
    .filter(({ record }) => !asked.has(keyOfRecord(record)))
    .map((line) => ({ ...line, seen: sightingsOf(line.record, domain) ?? { count: 0, total: 0 } }));
}

/** When the last resolver drops its copy of the records before the switch, RFC 3339; null if there are none. */
export function copiesUntil({ state, issues, dns }: ZoneFacts): string | null {
  if (state === 'awaiting_dns' || issues.some(pointsElsewhere)) return null;
  const ends = (dns.former ?? []).flatMap(({ ttl, goneAt }) => (ttl === null ? [] : Date.parse(goneAt) + ttl * 1_000));
  return ends.length === 0 ? null : new Date(Math.max(...ends)).toISOString();
}

function deletionsOf(domain: ZoneFacts): readonly ZoneLine[] {
  return zoneLines(domain).filter(({ action }) => action === 'delete');
}
