import { expect, it } from '@jest/globals';
import { exampleDomain, exampleIssue, exampleSetup } from '../setup.example.js';
import { parseSetup } from './parse-setup.js';

const sentence = 'x'.repeat(10_000);
const throwing = new Proxy(
  {},
  {
    get: () => {
      throw new Error('hostile');
    },
  },
);

it('what the API sends is kept as it is', () => {
  const certificate = { state: 'issued', issuer: 'A test CA', notAfter: '2027-01-01T00:00:00.000Z' } as const;
  const evidence = { seen: ['203.0.113.7'], expected: 'x', count: 2 };
  const readiness = { state: 'ready', message: 'You can switch the DNS record now.' } as const;
  const gone = { type: 'A', name: 'docs.example.com', value: '203.0.113.7', action: 'remove' } as const;
  const former = [{ ...gone, ttl: null, goneAt: '2026-11-02T09:12:00.000Z' }];
  const setup = exampleSetup(
    exampleDomain({ certificate, readiness, issues: [exampleIssue({ evidence })] }),
    exampleDomain({ dns: { ...exampleDomain().dns, former } }),
  );
  expect(parseSetup(JSON.parse(JSON.stringify(setup)))).toEqual(setup);
});

it('what only members know is kept as well, and they have no link', () => {
  const domains = [{ ...exampleDomain(), certificateIssuedAt: '2026-11-02T09:11:00.000Z' }];
  expect(parseSetup({ domains })).toMatchObject({ domains, expiresAt: null });
});

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['a text', 'x'],
  ['a list', []],
  ['no domain', { ...exampleSetup(), domains: [] }],
  ['a domain without a name', { ...exampleSetup(), domains: [{ ...exampleDomain(), name: 7 }] }],
  ['an unknown state', { ...exampleSetup(), domains: [{ ...exampleDomain(), state: '__proto__' }] }],
  ['a time that is none', { ...exampleSetup(), domains: [{ ...exampleDomain(), createdAt: 'yesterday' }] }],
  ['a getter that throws', throwing],
  ['a domain that throws', { ...exampleSetup(), domains: [throwing] }],
])('no set-up: %s', (_case, value) => expect(parseSetup(value)).toBeNull());

it('of more domains than a pair, of long lists and texts, only the beginning is kept', () => {
  const observed = { type: 'A', name: sentence, value: '203.0.113.7', ttl: 60, resolver: '192.0.2.53' };
  const domain = exampleDomain({ dns: { ...exampleDomain().dns, observed: Array(5_000).fill(observed) } });
  const parsed = parseSetup(exampleSetup(domain, domain, domain));
  expect(parsed?.domains).toHaveLength(2);
  expect(parsed?.domains[0]?.dns.observed).toHaveLength(100);
  expect(parsed?.domains[0]?.dns.observed[0]?.name).toHaveLength(4_000);
});

it('a later change of the object changes nothing', () => {
  const domain = { ...exampleDomain() };
  const parsed = parseSetup(exampleSetup(domain));
  domain.name = 'other.example.com';
  expect(parsed?.domains[0]?.name).toBe('docs.example.com');
});
