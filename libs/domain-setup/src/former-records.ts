import { pointsElsewhere } from './status.js';
import { keyOfRecord } from './zone-form.js';
import { observationsOf, sightingsOf, zoneLines, type ZoneFacts, type ZoneLine } from './zone-lines.js';

/** Records that had to go, as a page has seen them while it is open. */
export interface FormerRecords {
  /** The lines of records to delete that it has shown. */
  readonly deletions: readonly ZoneLine[];
  /** The longest TTL of the records that led elsewhere, in seconds; null if none was seen. */
  readonly ttl: number | null;
  /** The check that found that the name leads here instead, RFC 3339; null before. */
  readonly switchedAt: string | null;
}

export const noFormerRecords: FormerRecords = { deletions: [], ttl: null, switchedAt: null };

/** Adds what a domain shows now. */
export function followRecords(former: FormerRecords, domain: ZoneFacts): FormerRecords {
  const known = new Map(
    [...former.deletions, ...deletionsOf(domain)].map((line): [string, ZoneLine] => [keyOfRecord(line.record), line]),
  );
  const leadsElsewhere = domain.issues.some(pointsElsewhere);
  const ttls = leadsElsewhere ? ttlsOf(domain) : [];
  const ttl = ttls.length === 0 ? former.ttl : Math.max(former.ttl ?? 0, ...ttls);
  const leadsHere = !leadsElsewhere && domain.state !== 'awaiting_dns' && ttl !== null;
  const switchedAt = leadsHere ? (former.switchedAt ?? domain.dns.checkedAt) : null;
  return { deletions: [...known.values()], ttl, switchedAt };
}

/** The lines of records that were deleted, with the name servers that still show them. */
export function formerLines({ deletions }: FormerRecords, domain: ZoneFacts): readonly ZoneLine[] {
  const asked = new Set(deletionsOf(domain).map(({ record }) => keyOfRecord(record)));
  return deletions
    .filter(({ record }) => !asked.has(keyOfRecord(record)))
    .map((line) => ({ ...line, seen: sightingsOf(line.record, domain) ?? { count: 0, total: 0 } }));
}

/** When the last resolver drops its copy of the records before the switch, RFC 3339; null if there are none. */
export function copiesUntil({ ttl, switchedAt }: FormerRecords): string | null {
  return ttl === null || switchedAt === null ? null : new Date(Date.parse(switchedAt) + ttl * 1_000).toISOString();
}

function deletionsOf(domain: ZoneFacts): readonly ZoneLine[] {
  return zoneLines(domain).filter(({ action }) => action === 'delete');
}

/** The TTLs of the records at the name itself. */
function ttlsOf(domain: ZoneFacts): readonly number[] {
  return observationsOf(domain, domain.name)
    .filter(({ type }) => type === 'A' || type === 'AAAA' || type === 'CNAME')
    .flatMap(({ ttl }) => ttl ?? []);
}
