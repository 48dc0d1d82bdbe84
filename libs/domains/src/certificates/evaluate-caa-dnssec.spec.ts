import { describe, expect, it } from '@jest/globals';
import type { DnsAnswer, DnsLookup } from '@pets/contracts';
import { climb, name, ours, policy } from '../../test/caa-lookups.js';
import { evaluateCaa } from './evaluate-caa.js';

describe('evaluateCaa of a zone whose DNSSEC is broken', () => {
  const bogus: DnsAnswer = { kind: 'failed', error: 'SERVFAIL (DNSKEY Missing)', isBogus: true };
  const unknown = { kind: 'unknown', at: name, failures: [], isBogus: true };
  it.each<[string, DnsLookup[], object]>([
    ['is unknown', climb({ [name]: bogus }), { ...unknown, error: '1: SERVFAIL (DNSKEY Missing)' }],
    [
      'is unknown, with the errors of all resolvers that see it',
      [...climb({ [name]: bogus }), ...climb({ [name]: bogus }, '2'), ...climb({ [name]: ours }, '3')],
      { ...unknown, error: '1: SERVFAIL (DNSKEY Missing), 2: SERVFAIL (DNSKEY Missing)' },
    ],
    ['does not matter above the set that decides', climb({ [name]: ours, 'example.com': bogus }), { kind: 'permits' }],
  ])('%s', (_title, lookups, verdict) => expect(evaluateCaa(lookups, name, policy)).toEqual(verdict));
});
