import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { expectedDns, startDevDns, type DevDns } from '@pets/testing';
import { evaluateCaa, evaluateDns, observedRecords } from '@pets/domains';
import { DnsServers } from '../src/dns-servers.js';
import { gatherCaa, gatherDns } from '../src/gather-dns.js';

const base = 'wild.example';
const expected = expectedDns({ name: `*.${base}` });

let dns: DevDns;
let servers: DnsServers;
beforeAll(async () => {
  dns = await startDevDns();
  servers = new DnsServers({ resolvers: [dns.address], allowPrivateAuthoritative: false });
});
afterEach(() => {
  for (const name of [`*.${base}`, `a.${base}`, base, `*.${base}.${base}`]) dns.remove(name);
});
afterAll(async () => {
  servers.close();
  await dns.close();
});

const gather = () => gatherDns(servers.open(AbortSignal.timeout(10_000)), expected, new Date());

describe('the record of a wildcard', () => {
  it('points here if a name that it covers does, and is shown by its own name', async () => {
    dns.put({ type: 'CNAME', name: `*.${base}`, data: `${expected.targetHost}.` });
    // A name with records of its own says nothing about the wildcard.
    dns.put({ type: 'A', name: `a.${base}`, data: '192.0.2.9' });
    const findings = await gather();
    expect(evaluateDns(findings, expected)).toEqual({ kind: 'matches', by: 'target' });
    expect(observedRecords(findings, expected.targetHost)).toMatchObject([
      { type: 'CNAME', name: `*.${base}`, value: expected.targetHost },
    ]);
  });

  it.each([
    ['is missing', [{ type: 'A', name: `a.${base}`, data: '192.0.2.9' }], { code: 'no_record' }],
    [
      'is missing although the base points here',
      [{ type: 'CNAME', name: base, data: `${expected.targetHost}.` }],
      { code: 'no_record' },
    ],
    ['points elsewhere', [{ type: 'CNAME', name: `*.${base}`, data: 'other.example.' }], { code: 'cname_mismatch' }],
    ['has addresses', [{ type: 'A', name: `*.${base}`, data: '192.0.2.9' }], { code: 'conflicting_a' }],
    ['is behind a proxy', [{ type: 'A', name: `*.${base}`, data: '104.16.0.9' }], { code: 'proxied_by_cdn' }],
    [
      'has the zone twice',
      [
        { type: 'A', name: `a.${base}`, data: '192.0.2.9' },
        { type: 'CNAME', name: `*.${base}.${base}`, data: `${expected.targetHost}.` },
      ],
      { code: 'entered_with_zone' },
    ],
  ] as const)('%s', async (_case, records, issue) => {
    for (const record of records) dns.put(record);
    expect(evaluateDns(await gather(), expected)).toMatchObject({
      kind: 'mismatch',
      issues: [{ ...issue, evidence: { name: `*.${base}` } }],
    });
  });

  it('is looked up with another name each time, which no cache has', async () => {
    const asked = new Set<string>();
    const check = servers.open(AbortSignal.timeout(10_000));
    const [resolver] = check.resolvers;
    if (resolver === undefined) throw new Error('no resolver');
    const query: typeof resolver.query = (name, type) => {
      asked.add(name);
      return resolver.query(name, type);
    };
    for (let round = 0; round < 2; round += 1)
      await gatherDns({ ...check, resolvers: [{ query }] }, expected, new Date());
    expect([...asked].filter((name) => /^wildcard-probe-[0-9a-f]{16}\.wild\.example$/.test(name))).toHaveLength(2);
  });

  it('has the CAA records of its base', async () => {
    dns.put({ type: 'CAA', name: base, data: '0 issuewild ";"' });
    const lookups = await gatherCaa(servers.open(AbortSignal.timeout(10_000)), expected);
    const policy = { identities: ['ca.example'], accountUrl: null };
    expect(evaluateCaa(lookups, expected.name, policy)).toMatchObject({ kind: 'forbids', at: base });
    expect(evaluateCaa(lookups, `a.${base}`, policy).kind).not.toBe('forbids');
  });
});
