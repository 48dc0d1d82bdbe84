/** Broken DNSSEC, as resolvers report it: SERVFAIL, with data for those who do not check the signatures. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { evaluateCaa, evaluateDns, observedRecords } from '@pets/domains';
import { expectedDns, startDevDns, type DevDns } from '@pets/testing';
import { DnsServers } from '../src/dns-servers.js';
import { gatherCaa, gatherDns } from '../src/gather-dns.js';
import { startScriptedDns, zoneAnswers, type ScriptedDns } from './scripted-dns.js';

const targetHost = 't1.cname.pets.example';
const expected = expectedDns({ name: 'docs.acme.com', targetHost });
const bogus = {
  rcode: 'SERVFAIL',
  isZone: true,
  isBogus: true,
  extendedError: { code: 9, text: 'no DNSKEY' },
} as const;
const policy = { identities: ['ca.example'], accountUrl: null };
let resolvers: DevDns[];
let servers: DnsServers;

beforeEach(async () => {
  resolvers = await Promise.all([startDevDns(), startDevDns()]);
  for (const dns of resolvers)
    for (const apex of ['acme.com', 'b.com', 'c.com', 'd.com', 'e.com'])
      dns.put({ type: 'CNAME', name: `docs.${apex}`, data: `${targetHost}.` });
  servers = new DnsServers({ resolvers: resolvers.map(({ address }) => address), allowPrivateAuthoritative: false });
});
afterEach(async () => {
  servers.close();
  await Promise.all(resolvers.map((dns) => dns.close()));
});

const open = () => servers.open(AbortSignal.timeout(5_000));
async function check(name = expected.name) {
  const about = { ...expected, name };
  const findings = await gatherDns(open(), about, new Date());
  return { findings, verdict: evaluateDns(findings, about) };
}

describe('a zone with broken DNSSEC', () => {
  it('is named where every resolver refuses it, and no answer without validation is evidence', async () => {
    for (const dns of resolvers) dns.fail({ name: 'acme.com', ...bogus });
    const { verdict, findings } = await check();
    expect(verdict).toMatchObject({
      kind: 'unknown',
      issues: [{ code: 'dnssec_broken', evidence: { name: 'acme.com' } }],
    });
    expect(JSON.stringify(verdict)).toContain('DNSKEY Missing: no DNSKEY');
    expect(JSON.stringify(findings)).not.toContain(targetHost);
    expect(evaluateCaa(await gatherCaa(open(), expected), expected.name, policy)).toMatchObject({ isBogus: true });
  });

  it('blocks orders, and is noted on a match, where one resolver refuses it', async () => {
    resolvers[0]?.fail({ name: 'acme.com', ...bogus });
    const { verdict, findings } = await check();
    expect(verdict).toMatchObject({ kind: 'matches', by: 'target', notes: [{ code: 'dnssec_broken' }] });
    expect(observedRecords(findings, targetHost).map(({ type }) => type)).toEqual(['CNAME']);
    expect(evaluateCaa(await gatherCaa(open(), expected), expected.name, policy)).toMatchObject({
      kind: 'unknown',
      isBogus: true,
    });
  });

  it('is not what a SERVFAIL means that stays without validation', async () => {
    for (const dns of resolvers) dns.fail({ name: 'acme.com', rcode: 'SERVFAIL', isZone: true });
    expect((await check()).verdict).toMatchObject({ kind: 'unknown', issues: [{ code: 'resolver_failed' }] });
  });
});

describe('a SERVFAIL of a moment, of an unsigned zone with a server that fails sometimes', () => {
  const records = { [`CNAME ${expected.name}`]: [targetHost], 'CAA acme.com': ['ca.example'] };
  const answer = zoneAnswers('acme.com', records);
  const SERVFAIL = { rcode: 2 };
  let flaky: ScriptedDns;
  beforeEach(async () => {
    flaky = await startScriptedDns();
    servers.close();
    servers = new DnsServers({ resolvers: [flaky.address], allowPrivateAuthoritative: false });
  });
  afterEach(() => flaky.close());
  /** The replies to a question, in their order; the last one to all later questions. */
  const script = (...replies: ScriptedDns['answer'][]) => {
    const asked = new Map<string, number>();
    flaky.answer = (query) => {
      const key = `${query.type} ${query.name}`;
      const nth = asked.get(key) ?? 0;
      asked.set(key, nth + 1);
      return query.name.endsWith('acme.com') ? (replies[nth] ?? answer)(query) : answer(query);
    };
  };

  it('is no broken DNSSEC: the third question is answered, and that is the answer', async () => {
    script(() => SERVFAIL);
    const { verdict, findings } = await check();
    expect(verdict).toEqual({ kind: 'matches', by: 'target' });
    expect(JSON.stringify(findings)).not.toContain('isBogus');
    expect(evaluateCaa(await gatherCaa(open(), expected), expected.name, policy)).toEqual({ kind: 'permits' });
    expect(servers.countValidationFailures()).toEqual([{ resolver: flaky.address, count: 0 }]);
    expect(servers.countLookups()).toContainEqual({ resolver: flaky.address, result: 'failed', count: 0 });
    const caa = flaky.queries.filter(({ name, type }) => name === 'acme.com' && type === 'CAA');
    expect(caa.map(({ isUnchecked }) => isUnchecked)).toEqual([false, true, false]);
  });

  it('has the alias of the answer', async () => {
    script(() => SERVFAIL);
    const [resolver] = open().resolvers;
    expect(await resolver?.query(expected.name, 'A')).toMatchObject({ answer: { kind: 'absent' }, alias: targetHost });
  });

  it('is a failure where the third question fails otherwise', async () => {
    script(
      () => SERVFAIL,
      answer,
      () => ({ rcode: 5 }),
    );
    const [resolver] = open().resolvers;
    expect((await resolver?.query('acme.com', 'CAA'))?.answer).toEqual({ kind: 'failed', error: 'SERVFAIL' });
  });

  it('is broken DNSSEC where the third question is a SERVFAIL as well', async () => {
    script(
      () => SERVFAIL,
      answer,
      () => SERVFAIL,
    );
    const [resolver] = open().resolvers;
    expect((await resolver?.query('acme.com', 'CAA'))?.answer).toMatchObject({ kind: 'failed', isBogus: true });
  });
});

describe('a resolver that refuses what is valid', () => {
  it('is not the fault of the zone, if it refuses what is above the domain as well', async () => {
    resolvers[0]?.fail({ name: 'com', ...bogus });
    expect((await check()).verdict).toEqual({ kind: 'matches', by: 'target' });
    expect(evaluateCaa(await gatherCaa(open(), expected), expected.name, policy)).not.toHaveProperty('isBogus');
  });

  it('is reported to the operator, not to owners, once it refuses several registered domains', async () => {
    for (const name of ['acme.com', 'b.com', 'c.com', 'd.com']) resolvers[0]?.fail({ name, ...bogus });
    for (const apex of ['b.com', 'c.com', 'd.com']) await check(`docs.${apex}`);
    // Another resolver may have answered before this one failed; the next check knows.
    for (const apex of ['b.com', 'c.com', 'd.com']) await check(`docs.${apex}`);
    expect((await check()).verdict).toEqual({ kind: 'matches', by: 'target' });
    const [first, second] = servers.countValidationFailures();
    expect(first?.count).toBeGreaterThanOrEqual(3);
    expect(second?.count).toBe(0);
  });
});
