import type { FormerRecord, ObservedRecord, RecordConflict } from '@pets/contracts';
import { allocateBytes, bytesOf } from './truncate.js';

/** Maximum size as JSON: that of all conflicts. Of more, the newest are kept. */
const MAX_BYTES = 2_048;

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
  const there = new Set(conflicts.map(keyOf));
  const all = new Map(
    [...gone, ...known].filter((record) => !there.has(keyOf(record))).map((one) => [keyOf(one), one]),
  );
  const kept = [...all.values()].filter((record) => isAwaited || expiresAt(record) > now.getTime());
  const sizes = kept.map((record) => bytesOf(JSON.stringify(record)));
  return kept.slice(0, allocateBytes([sizes], MAX_BYTES)[0]);
}

/** The longest time for which a name server let caches keep the record, in seconds. */
function ttlOf(record: RecordConflict, observed: readonly ObservedRecord[]): number | null {
  const ttls = observed.filter((seen) => keyOf(seen) === keyOf(record)).flatMap(({ ttl }) => ttl ?? []);
  return ttls.length === 0 ? null : Math.max(...ttls);
}

function expiresAt({ goneAt, ttl }: FormerRecord): number {
  return Date.parse(goneAt) + (ttl ?? 0) * 1_000;
}

function keyOf({ type, name, value }: Pick<RecordConflict, 'type' | 'name' | 'value'>): string {
  return `${type} ${name} ${value}`;
}
