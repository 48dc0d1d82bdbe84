import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DnsQuestionType } from '@pets/contracts';
import { evaluateDns, evaluateOwnership } from '@pets/domains';
import {
  expectedDns,
  describeWhen,
  freePort,
  isInstalled,
  startChalltestsrv,
  startDevDns,
  type DevDns,
} from '@pets/testing';
import { DnsServers, type DnsServer } from '../src/dns-servers.js';
import { gatherCaa, gatherDns } from '../src/gather-dns.js';

const patience = new AbortController().signal;
const inAHurry = { tryMs: 600 };
let dns: DevDns;

beforeEach(async () => {
  dns = await startDevDns();
});
afterEach(() => dns.close());

function open(...resolvers: string[]) {
  return new DnsServers({ resolvers: resolvers, allowPrivateAuthoritative: false }, inAHurry);
}

function server(signal = patience, address = dns.address): DnsServer {
  const [opened] = open(address).open(signal).resolvers;
  if (opened === undefined) throw new Error('no server');
  return opened;
}

async function answerTo(name: string, type: DnsQuestionType) {
  return (await server().query(name, type)).answer;
}

describe('DnsServers', () => {
  it('reports the server, the question and the time of an answer', async () => {
    dns.put({ type: 'A', name: 'a.example', data: '192.0.2.1' });
    expect(await server().query('a.example', 'A')).toEqual({
      name: 'a.example',
      type: 'A',
      server: dns.address,
      answer: { kind: 'found', records: [{ value: '192.0.2.1', ttl: 60 }] },
      at: expect.any(String),
    });
  });

  it.each<[DnsQuestionType, string, string]>([
    ['A', '192.0.2.1', '192.0.2.1'],
    ['AAAA', '2001:DB8::7', '2001:db8::7'],
    ['CNAME', 'T1.CNAME.Pets.Example.', 't1.cname.pets.example'],
    ['NS', 'NS1.Acme.Example.', 'ns1.acme.example'],
    ['TXT', '"pets=" "token"', 'pets=token'],
    ['TXT', `"${'long '.repeat(100)}"`, 'long '.repeat(100)],
    [
      'CAA',
      '128 issue "ca.example; accounturi=https://ca.example/1"',
      '128 issue "ca.example; accounturi=https://ca.example/1"',
    ],
    ['CAA', '0 issuewild ";"', '0 issuewild ";"'],
    ['SOA', 'ns1.Acme.example. admin.acme.example. 7 60 61 62 63', 'ns1.acme.example admin.acme.example 7 60 61 62 63'],
  ])('returns a %s record %s with its TTL', async (type, data, value) => {
    dns.put({ type, name: 'x.example', data, ttl: 90 });
    expect(await answerTo('x.example', type)).toEqual({ kind: 'found', records: [{ value, ttl: 90 }] });
  });

  it('reports NXDOMAIN and NODATA as absent, with the negative TTL', async () => {
    dns.put({ type: 'A', name: 'a.acme.example', data: '192.0.2.1' });
    dns.put({ type: 'SOA', name: 'acme.example', data: 'ns.acme.example. x.acme.example. 1 1 1 1 30', ttl: 900 });
    const absent = { kind: 'absent', zone: 'acme.example', ttl: 30 };
    expect(await answerTo('nothing.acme.example', 'CNAME')).toEqual(absent);
    expect(await answerTo('a.acme.example', 'TXT')).toEqual(absent);
  });

  it('reports the name that the addresses of an alias belong to', async () => {
    dns.put({ type: 'CNAME', name: 'www.example', data: 'host.example.' });
    dns.put({ type: 'A', name: 'host.example', data: '192.0.2.1' });
    expect(await server().query('www.example', 'A')).toMatchObject({
      alias: 'host.example',
      answer: { kind: 'found' },
    });
  });

  it('reports the addresses of a dangling CNAME as absent', async () => {
    dns.put({ type: 'CNAME', name: 'www.example', data: 'gone.example.' });
    expect(await server().query('www.example', 'A')).toMatchObject({
      alias: 'gone.example',
      answer: { kind: 'absent' },
    });
  });

  it.each(['SERVFAIL', 'REFUSED'] as const)('fails after %s', async (rcode) => {
    dns.fail({ name: 'a.example', rcode });
    expect(await answerTo('a.example', 'A')).toEqual({ kind: 'failed', error: rcode });
  });

  it('fails if no answer comes', async () => {
    dns.fail({ name: 'a.example', rcode: 'TIMEOUT' });
    expect(await answerTo('a.example', 'A')).toEqual({ kind: 'failed', error: 'TIMEOUT' });
  });

  it('fails if no server listens', async () => {
    const nobody = server(patience, `127.0.0.1:${await freePort()}`);
    expect((await nobody.query('a.example', 'A')).answer).toMatchObject({ kind: 'failed' });
  });

  it('fails if the job ends before the answer', async () => {
    dns.fail({ name: 'a.example', rcode: 'TIMEOUT' });
    const job = new AbortController();
    const lookup = server(job.signal).query('a.example', 'A');
    await new Promise((resolve) => setImmediate(resolve)); // the question is sent
    job.abort();
    expect((await lookup).answer).toEqual({ kind: 'failed', error: 'aborted' });
    expect((await server(job.signal).query('b.example', 'A')).answer).toEqual({
      kind: 'failed',
      error: 'no time is left',
    });
  });

  it('sends no queries after the time limit of the check', async () => {
    const hurried = new DnsServers({ resolvers: [dns.address], allowPrivateAuthoritative: false }, { checkMs: 0 });
    const [resolver] = hurried.open(patience).resolvers;
    expect(await resolver?.query('a.example', 'A')).toMatchObject({ answer: { error: 'no time is left' } });
  });

  it('answers each of thousands of concurrent questions', async () => {
    const [resolver] = new DnsServers({
      resolvers: [dns.address],
      allowPrivateAuthoritative: false,
    }).open(patience).resolvers;
    if (resolver === undefined) throw new Error('no server');
    for (let round = 0; round < 3; round += 1) {
      const names = Array.from({ length: 1_000 }, (_name, i) => `n${round}-${i}.example`);
      for (const name of names) dns.put({ type: 'TXT', name, data: `"${name}"` });
      const lookups = await Promise.all(names.map((name) => resolver.query(name, 'TXT')));
      expect(lookups.map(({ answer }) => (answer.kind === 'found' ? answer.records[0]?.value : answer))).toEqual(names);
    }
  });
});

const expected = expectedDns({
  name: 'docs.acme.example',
  ownershipHost: '_platform-challenge.docs.acme.example',
  ownershipToken: 'pets=t1',
});

describe('gathering from a real server', () => {
  it('finds the records for a verdict', async () => {
    dns.put({ type: 'CNAME', name: expected.name, data: 'edge.acme.example.' });
    dns.put({ type: 'CNAME', name: 'edge.acme.example', data: `${expected.targetHost}.` });
    dns.put({ type: 'TXT', name: '_platform-challenge.docs.acme.example', data: '"pets=t1"' });
    const findings = await gatherDns(open(dns.address).open(patience), expected, new Date());
    expect(evaluateDns(findings, expected)).toEqual({ kind: 'matches', by: 'target' });
    expect(evaluateOwnership(findings, '_platform-challenge.docs.acme.example', 'pets=t1')).toEqual({ kind: 'proven' });
  });

  it('keeps the answers of each server separate', async () => {
    const other = await startDevDns();
    dns.put({ type: 'CNAME', name: expected.name, data: `${expected.targetHost}.` });
    other.put({ type: 'A', name: expected.name, data: '192.0.2.1' });
    const findings = await gatherDns(open(dns.address, other.address).open(patience), expected, new Date());
    expect(evaluateDns(findings, expected)).toMatchObject({
      kind: 'mismatch',
      issues: [{ code: 'propagating', evidence: { stale: [other.address] } }, { code: 'conflicting_a' }],
    });
    await other.close();
  });

  it('finds a wildcard that answers for the name', async () => {
    dns.put({ type: 'A', name: '*.acme.example', data: '192.0.2.1' });
    const findings = await gatherDns(open(dns.address).open(patience), expected, new Date());
    expect(evaluateDns(findings, expected)).toMatchObject({
      issues: [{ code: 'conflicting_a', evidence: { wildcard: '*.acme.example' } }],
      conflicts: [],
    });
  });

  it('finds a record whose name has the zone twice', async () => {
    dns.put({ type: 'CNAME', name: 'docs.acme.example.acme.example', data: `${expected.targetHost}.` });
    const findings = await gatherDns(open(dns.address).open(patience), expected, new Date());
    expect(evaluateDns(findings, expected)).toMatchObject({
      issues: [{ code: 'entered_with_zone', evidence: { seen: 'docs.acme.example.acme.example', entered: 'docs' } }],
    });
  });

  it('climbs for CAA', async () => {
    dns.put({ type: 'CAA', name: 'acme.example', data: '0 issue ";"' });
    const lookups = await gatherCaa(open(dns.address).open(patience), expected);
    expect(lookups.map(({ name, answer }) => `${name} ${answer.kind}`)).toEqual([
      'docs.acme.example absent',
      'acme.example found',
      'example absent',
    ]);
  });
});

const noChalltestsrv = isInstalled('pebble-challtestsrv') ? null : 'pebble-challtestsrv is not installed';
describeWhen(describe, 'gathering from a server that is not ours', noChalltestsrv, () => {
  it('finds the records for a verdict', async () => {
    const foreign = await startChalltestsrv();
    if (foreign === null) throw new Error('pebble-challtestsrv is gone');
    await foreign.setCname(expected.name, expected.targetHost);
    await foreign.setTxt('_platform-challenge.docs.acme.example', 'pets=t1');
    const findings = await gatherDns(open(foreign.address).open(patience), expected, new Date());
    expect(evaluateDns(findings, expected)).toEqual({ kind: 'matches', by: 'target' });
    expect(evaluateOwnership(findings, '_platform-challenge.docs.acme.example', 'pets=t1')).toEqual({ kind: 'proven' });
    await foreign.setServfail(expected.name);
    const broken = await gatherDns(open(foreign.address).open(patience), expected, new Date());
    expect(evaluateDns(broken, expected)).toMatchObject({ kind: 'unknown' });
    await foreign.stop();
  });
});
