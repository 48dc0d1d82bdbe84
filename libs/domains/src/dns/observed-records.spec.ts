import { expect, it } from '@jest/globals';
import type { DnsAnswer, DnsLookup } from '@pets/contracts';
import { observedRecords } from './observed-records.js';
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
  ];
  expect(observedRecords({ checkedAt: '', lookups }, 't1.pets.example')).toEqual([
    { type: 'CNAME', name: 'docs.example.com', value: 'x.net', ttl: 60, resolver: '192.0.2.1:53' },
  ]);
});
