import type { DnsFindings, DnsLookup, FormerRecord, ObservedRecord, RecordConflict } from '@pets/contracts';
import { isProbe } from './probes.js';
import { bytesOf, truncateText, allocateBytes } from './truncate.js';

/** Maximum size as JSON. A name that points here, with its TXT record and six servers, needs a quarter. */
const MAX_BYTES = 8_192;
/** Reserved for the field with the number of records left out. */
const OMITTED_BYTES = 20;

/**
 * The records that a check found, for the owner, each with its server. If there are too many, some of each server are shown.
 * Addresses of our target, answers to probes and what is above the registered domain are left out.
 */
export function observedRecords(findings: DnsFindings, targetHost: string): ObservedRecord[] {
  const sets = findings.lookups
    .filter(({ name, type }) => name !== targetHost && type !== 'SOA' && !isProbe(name))
    .map(shownOf);
  const sizes = sets.map(({ records }) => records.map((record) => bytesOf(JSON.stringify(record)) + OMITTED_BYTES));
  const counts = allocateBytes(sizes, MAX_BYTES);
  let hiddenCount = 0;
  const shown = sets.map(({ records, total }, index) => {
    const kept = records.slice(0, counts[index]);
    if (kept.length === 0) hiddenCount += total;
    return kept.map((record, at) => withOmitted(record, at === kept.length - 1 ? total - kept.length : 0));
  });
  const all = shown.flat();
  return all.map((record, at) => (at === all.length - 1 ? withOmitted(record, hiddenCount) : record));
}

/** Whether two checks found the same records, whichever servers answered, in whatever order, and however long they may be cached. */
export function areSameRecords(some: readonly ObservedRecord[], others: readonly ObservedRecord[]): boolean {
  const identify = (records: readonly ObservedRecord[]) =>
    new Set(records.map(({ type, name, value }) => `${type} ${name} ${value}`));
  const [one, other] = [identify(some), identify(others)];
  return one.size === other.size && one.isSubsetOf(other);
}

/** More records than fit in any case. */
const MAX_SET_RECORDS = 128;

function shownOf({ answer, type, name, alias, server }: DnsLookup) {
  if (answer.kind !== 'found') return { records: [], total: 0 };
  const records = answer.records.slice(0, MAX_SET_RECORDS).map(({ value, ttl }): ObservedRecord => {
    return { type, name: truncateText(alias ?? name), value: truncateText(value), ttl, resolver: server };
  });
  return { records, total: answer.records.length + (answer.omitted ?? 0) };
}

function withOmitted(record: ObservedRecord, more: number): ObservedRecord {
  return more === 0 ? record : { ...record, omitted: (record.omitted ?? 0) + more };
}

/** Maximum size as JSON: that of all conflicts. Of more, the newest are kept. */
const MAX_FORMER_BYTES = 2_048;

/** Records of a name before a check. */
interface KnownRecords {
  readonly conflicts: readonly RecordConflict[];
  readonly observed: readonly ObservedRecord[];
  readonly formerRecords: readonly FormerRecord[];
}

/**
 * The records that led elsewhere and are gone: while the domain awaits its DNS, all of them, so that its page can tick them;
 * afterwards those of which caches may have copies.
 * @param conflicts what the check found
 */
export function formerRecords(
  { conflicts: before, observed, formerRecords: known }: KnownRecords,
  conflicts: readonly RecordConflict[],
  isAwaited: boolean,
  now: Date,
): readonly FormerRecord[] {
  const gone = before.map((record): FormerRecord => ({
    ...record,
    ttl: ttlOf(record, observed),
    goneAt: now.toISOString(),
  }));
  const there = new Set(conflicts.map(identityOf));
  const all = new Map(
    [...gone, ...known].filter((record) => !there.has(identityOf(record))).map((one) => [identityOf(one), one]),
  );
  const kept = [...all.values()].filter((record) => isAwaited || expiresAt(record) > now.getTime());
  const sizes = kept.map((record) => bytesOf(JSON.stringify(record)));
  return kept.slice(0, allocateBytes([sizes], MAX_FORMER_BYTES)[0]);
}

/** The longest time for which a name server let caches keep the record, in seconds. */
function ttlOf(record: RecordConflict, observed: readonly ObservedRecord[]): number | null {
  const ttls = observed.filter((seen) => identityOf(seen) === identityOf(record)).flatMap(({ ttl }) => ttl ?? []);
  return ttls.length === 0 ? null : Math.max(...ttls);
}

function expiresAt({ goneAt, ttl }: FormerRecord): number {
  return Date.parse(goneAt) + (ttl ?? 0) * 1_000;
}

function identityOf({ type, name, value }: Pick<RecordConflict, 'type' | 'name' | 'value'>): string {
  return `${type} ${name} ${value}`;
}
