import type { DnsAnswer, DnsLookup } from '@pets/contracts';

/** The name, the CA and its look-ups in the tests of CAA. */
export const name = 'a.docs.example.com';
export const policy = { identities: ['ca.example', 'ca2.example'], accountUrl: 'https://ca.example/acct/1' };

/** Looks each ancestor up; what is not given is absent. */
export const climb = (answers: Record<string, DnsAnswer>, server = '1'): DnsLookup[] =>
  ['a.docs.example.com', 'docs.example.com', 'example.com', 'com'].map((at) => ({
    name: at,
    type: 'CAA',
    server,
    answer: answers[at] ?? { kind: 'absent' },
  }));

export const set = (...values: string[]): DnsAnswer => ({
  kind: 'found',
  records: values.map((value) => ({ value, ttl: 60 })),
});
export const ours = set('0 issue "ca.example"');
