import { expect, it } from '@jest/globals';
import type { FormerRecord, RecordConflict } from '@pets/contracts';
import { formerRecords } from './former-records.js';

const now = new Date('2026-11-02T09:20:00.000Z');
const conflict = (value: string): RecordConflict => ({ type: 'A', name: 'docs.example.com', value, action: 'remove' });
const seen = (value: string, ttl: number | null, resolver = '192.0.2.53:53') => ({ ...conflict(value), ttl, resolver });
const former = (value: string, ttl: number | null, goneAt = now.toISOString()): FormerRecord => ({
  ...conflict(value),
  ttl,
  goneAt,
});
const [one, other] = [conflict('203.0.113.7'), conflict('203.0.113.8')];
const nothing = { conflicts: [], observed: [], formerRecords: [] };

it('a conflict that a check no longer finds is former, with the longest TTL of all name servers', () => {
  const observed = [
    seen(one.value, 300),
    seen(one.value, null, '192.0.2.52:53'),
    seen(one.value, 3600, '192.0.2.54:53'),
    seen(other.value, 7200),
  ];
  const before = { ...nothing, conflicts: [one, other], observed };
  expect(formerRecords(before, [other], true, now)).toEqual([former(one.value, 3600)]);
  expect(formerRecords(before, [one, other], true, now)).toEqual([]);
});

it('its TTL is unknown where no name server said one', () => {
  const before = { ...nothing, conflicts: [one], observed: [seen(one.value, null)] };
  expect(formerRecords(before, [], true, now)).toEqual([former(one.value, null)]);
});

it('one that is there again is not', () => {
  const before = { ...nothing, formerRecords: [former(one.value, 300), former(other.value, 300)] };
  expect(formerRecords(before, [one], true, now)).toEqual([former(other.value, 300)]);
});

it.each([
  ['until the domain is verified', true, [3600, 1200, null]],
  ['then as long as caches may have copies', false, [3600]],
])('is kept %s', (_case, isAwaited, ttls) => {
  const since = '2026-11-02T09:00:00.000Z';
  const records = [
    former('203.0.113.1', 3600, since),
    former('203.0.113.2', 1200, since),
    former('203.0.113.3', null, since),
  ];
  const kept = formerRecords({ ...nothing, formerRecords: records }, [], isAwaited, now);
  expect(kept.map(({ ttl }) => ttl)).toEqual(ttls);
});

it('the newest are kept where there are too many', () => {
  const old = Array.from({ length: 30 }, (_each, index) => former(`203.0.113.${index + 100}`, 60));
  const kept = formerRecords({ ...nothing, conflicts: [one], formerRecords: old }, [], true, now);
  expect(kept[0]).toEqual(former(one.value, null));
  expect(JSON.stringify(kept).length).toBeLessThan(2_200);
});
