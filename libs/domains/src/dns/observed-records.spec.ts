import { expect, it } from '@jest/globals';
import type { DnsAnswer, DnsLookup, ObservedRecord } from '@pets/contracts';
import { areSameRecords, observedRecords } from './observed-records.js';
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
