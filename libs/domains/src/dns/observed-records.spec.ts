import { expect, it } from '@jest/globals';
import type { DnsAnswer, DnsLookup, FormerRecord, ObservedRecord, RecordConflict } from '@pets/contracts';
import { areSameRecords, formerRecords, observedRecords } from './observed-records.js';
import { wildcardProbeOf } from './probes.js';

const found = (value: string): DnsAnswer => ({ kind: 'found', records: [{ value, ttl: 60 }] });
const lookup = (name: string, answer: DnsAnswer): DnsLookup => ({
  name,
  type: 'CNAME',
  server: '192.0.2.1:53',
  answer,
});

it('shows what each server gave, without our own target and without probes', () => {
  const lookups = [
    lookup('docs.example.com', found('x.net')),
    lookup('docs.example.com', { kind: 'absent' }),
    lookup('t1.pets.example', found('y.net')),
    lookup(wildcardProbeOf('docs.example.com', '0123456789abcdef'), found('x.net')),
    { ...lookup('com', found('a.gtld-servers.net')), type: 'SOA' as const },
  ];
  expect(observedRecords({ checkedAt: '', lookups, nameServers: null, zone: null }, 't1.pets.example')).toEqual([
    { type: 'CNAME', name: 'docs.example.com', value: 'x.net', ttl: 60, resolver: '192.0.2.1:53' },
  ]);
});

const setOf = (server: string, values: readonly string[]): DnsLookup => ({
  ...lookup('docs.example.com', { kind: 'found', records: values.map((value) => ({ value, ttl: 60 })) }),
  server,
});

it('shows some records of each server if there are too many, and counts the others', () => {
  const values = Array.from({ length: 40 }, (_value, i) => `${i}`.padEnd(400, ' '));
  const shown = observedRecords(
    { checkedAt: '', lookups: [setOf('1', values), setOf('2', values)], nameServers: null, zone: null },
    't1.pets.example',
  );
  expect(JSON.stringify(shown).length).toBeLessThanOrEqual(8_192);
  expect([...new Set(shown.map(({ resolver }) => resolver))]).toEqual(['1', '2']);
  expect(shown.length + shown.reduce((sum, { omitted = 0 }) => sum + omitted, 0)).toBe(80);
});

it('counts what the worker left out', () => {
  const answer: DnsAnswer = { kind: 'found', records: [{ value: 'x.net', ttl: 60 }], omitted: 4 };
  const lookups = [lookup('docs.example.com', answer), lookup('www.example.com', found('y.net'))];
  const shown = observedRecords({ checkedAt: '', lookups, nameServers: null, zone: null }, 't1.pets.example');
  expect(shown.map(({ value, omitted }) => [value, omitted])).toEqual([
    ['x.net', 4],
    ['y.net', undefined],
  ]);
});

it('counts the sets of which nothing fits', () => {
  const lookups = Array.from({ length: 60 }, (_server, i) => setOf(`${i}`, ['x'.repeat(400)]));
  const shown = observedRecords({ checkedAt: '', lookups, nameServers: null, zone: null }, 't1.pets.example');
  expect(JSON.stringify(shown).length).toBeLessThanOrEqual(8_192);
  expect(shown.length + (shown.at(-1)?.omitted ?? 0)).toBe(60);
  expect(shown.slice(0, -1).some(({ omitted }) => omitted !== undefined)).toBe(false);
});

const one: ObservedRecord = { type: 'A', name: 'a.com', value: '192.0.2.1', ttl: 60, resolver: 'ns1' };
const two: ObservedRecord = { ...one, value: '192.0.2.2' };

it.each([
  [
    'other servers, another order and other times to live',
    [two, one].map((r) => ({ ...r, ttl: 1, resolver: 'x' })),
    true,
  ],
  ['a server more that says the same', [one, two, { ...one, resolver: 'x' }], true],
  ['another value', [one, { ...two, value: '4' }], false],
  ['a record less', [one], false],
  ['a record more', [one, two, { ...two, value: '4' }], false],
])('the same records with %s: %p', (_name, others, areSame) => {
  expect(areSameRecords([one, two], others)).toBe(areSame);
});

const now = new Date('2026-11-02T09:20:00.000Z');
const conflict = (value: string): RecordConflict => ({ type: 'A', name: 'docs.example.com', value, action: 'remove' });
const seen = (value: string, ttl: number | null, resolver = '192.0.2.53:53') => ({ ...conflict(value), ttl, resolver });
const former = (value: string, ttl: number | null, goneAt = now.toISOString()): FormerRecord => ({
  ...conflict(value),
  ttl,
  goneAt,
});
const [first, second] = [conflict('203.0.113.7'), conflict('203.0.113.8')];
const unseen = { conflicts: [], observed: [], formerRecords: [] };

it('a conflict that a check no longer finds is former, with the longest TTL of all name servers', () => {
  const observed = [
    seen(first.value, 300),
    seen(first.value, null, '192.0.2.52:53'),
    seen(first.value, 3600, '192.0.2.54:53'),
    seen(second.value, 7200),
  ];
  const before = { ...unseen, conflicts: [first, second], observed };
  expect(formerRecords(before, [second], true, now)).toEqual([former(first.value, 3600)]);
  expect(formerRecords(before, [first, second], true, now)).toEqual([]);
});

it('its TTL is unknown where no name server said one', () => {
  const before = { ...unseen, conflicts: [first], observed: [seen(first.value, null)] };
  expect(formerRecords(before, [], true, now)).toEqual([former(first.value, null)]);
});

it('one that is there again is not', () => {
  const before = { ...unseen, formerRecords: [former(first.value, 300), former(second.value, 300)] };
  expect(formerRecords(before, [first], true, now)).toEqual([former(second.value, 300)]);
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
  const kept = formerRecords({ ...unseen, formerRecords: records }, [], isAwaited, now);
  expect(kept.map(({ ttl }) => ttl)).toEqual(ttls);
});

it('the newest are kept where there are too many', () => {
  const old = Array.from({ length: 30 }, (_each, index) => former(`203.0.113.${index + 100}`, 60));
  const kept = formerRecords({ ...unseen, conflicts: [first], formerRecords: old }, [], true, now);
  expect(kept[0]).toEqual(former(first.value, null));
  expect(JSON.stringify(kept).length).toBeLessThan(2_200);
});
