import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DnsLookup } from '@pets/contracts';
import { expectedDns } from '@pets/testing';
import { evaluateCaa, evaluateDns } from '@pets/domains';
import { DnsServers } from '../src/dns-servers.js';
import { gatherCaa, gatherDns } from '../src/gather-dns.js';
import { startScriptedDns, zoneAnswers, type ScriptedDns } from './scripted-dns.js';

const target = 't1.cname.pets.example';
const expected = expectedDns({ name: 'docs.acme.example', targetHost: target });
const right = { 'CNAME docs.acme.example': [target] };
const delegation = {
  'NS acme.example': ['ns1.acme.example', 'ns2.acme.example'],
  'A ns1.acme.example': ['93.184.215.1'],
  'A ns2.acme.example': ['93.184.215.2'],
};
const patience = new AbortController().signal;
let resolver: ScriptedDns;
let ns1: ScriptedDns;
let ns2: ScriptedDns;

beforeEach(async () => {
  [resolver, ns1, ns2] = await Promise.all([startScriptedDns(), startScriptedDns(), startScriptedDns()]);
  resolver.answer = zoneAnswers('acme.example', delegation, 600);
  ns1.answer = zoneAnswers('acme.example', right);
  ns2.answer = zoneAnswers('acme.example', right);
});
afterEach(() => Promise.all([resolver.close(), ns1.close(), ns2.close()]));

/** The two servers of the zone have public addresses, at which the test's servers are found. */
function servers(allowPrivate = false) {
  const ports: Record<string, () => number> = { '93.184.215.1': () => ns1.port, '93.184.215.2': () => ns2.port };
  return new DnsServers(
    { resolvers: [resolver.address], allowPrivateAuthoritative: allowPrivate },
    { tryMs: 600, locate: (host) => ({ host: '127.0.0.1', port: (ports[host] ?? (() => ns1.port))() }) },
  );
}

async function verdict(from = servers()) {
  return evaluateDns(await gatherDns(from.open(patience), expected, new Date()), expected);
}

function asked(lookups: readonly DnsLookup[]): string[] {
  return lookups.filter(({ isAuthoritative }) => isAuthoritative).map(({ name, type }) => `${type} ${name}`);
}

describe('the servers of the zone', () => {
  it('decide, and a resolver with an older answer is only reported, with the time until its answer expires', async () => {
    const before = Date.now();
    const result = await verdict();
    expect(result).toMatchObject({
      kind: 'matches',
      notes: [{ code: 'propagating', evidence: { stale: [resolver.address] } }],
    });
    const expectedBy = result.kind === 'matches' ? result.notes?.[0]?.evidence.expectedBy : undefined;
    expect(Date.parse(String(expectedBy))).toBeGreaterThanOrEqual(before + 600_000);
  });

  it('are queried once for each record of a name that points here', async () => {
    const { lookups } = await gatherDns(servers().open(patience), expected, new Date());
    const once = ['CNAME docs.acme.example', 'A docs.acme.example', 'AAAA docs.acme.example'];
    expect(asked(lookups)).toEqual([...once, ...once]);
    expect([...ns1.queries, ...ns2.queries].some(({ isRecursive }) => isRecursive)).toBe(false);
  });

  it('are cached', async () => {
    const from = servers();
    await verdict(from);
    await verdict(from);
    expect(resolver.queries.filter(({ type, name }) => type === 'NS' || name.startsWith('ns'))).toHaveLength(3);
  });

  it('must all show the record: the one that does not is named', async () => {
    ns2.answer = zoneAnswers('acme.example', {});
    expect(await verdict()).toMatchObject({
      kind: 'mismatch',
      issues: [{ code: 'propagating', evidence: { stale: [`127.0.0.1:${ns2.port}`] } }, { code: 'no_record' }],
    });
  });

  it.each<[string, ScriptedDns['answer']]>([
    ['is silent', () => null],
    ['refuses', () => ({ rcode: 5 })],
    ['is broken', () => ({ rcode: 2 })],
    ['does not serve the zone', () => ({ isAuthoritative: false })],
  ])('decide without a server that %s', async (_case, answer) => {
    ns2.answer = answer;
    expect(await verdict()).toMatchObject({ kind: 'matches', by: 'target' });
  });

  it('leave the verdict to the resolvers where none of them gives a usable answer', async () => {
    ns1.answer = () => null;
    ns2.answer = () => ({ rcode: 5 });
    expect(await verdict()).toMatchObject({ kind: 'mismatch', issues: [{ code: 'no_record' }] });
    resolver.answer = zoneAnswers('acme.example', { ...delegation, ...right });
    expect(await verdict()).toEqual({ kind: 'matches', by: 'target' });
  });

  it('show addresses beside the CNAME that no resolver has returned', async () => {
    const zone = { ...right, 'A docs.acme.example': ['192.0.2.1'], 'AAAA docs.acme.example': ['2001:db8::1'] };
    resolver.answer = zoneAnswers('acme.example', { ...delegation, ...right, [`A ${target}`]: ['198.51.100.7'] });
    ns2.answer = zoneAnswers('acme.example', zone);
    expect(await verdict()).toMatchObject({
      kind: 'mismatch',
      issues: [
        { code: 'propagating' },
        { code: 'conflicting_records', evidence: { seen: ['A 192.0.2.1', 'AAAA 2001:db8::1'] } },
      ],
    });
    ns1.answer = zoneAnswers('acme.example', { ...zone, 'A docs.acme.example': ['198.51.100.7'] });
    ns2.answer = zoneAnswers('acme.example', { ...right, 'A docs.acme.example': ['198.51.100.7'] });
    expect(await verdict()).toMatchObject({ kind: 'mismatch', conflicts: [{ type: 'AAAA' }] });
  });

  it('may return the target of the CNAME too, which is no conflict', async () => {
    const cname = { name: 'docs.acme.example', type: 'CNAME' as const, ttl: 60, data: target };
    const led = { name: target, type: 'A' as const, ttl: 60, data: '192.0.2.1' };
    for (const server of [ns1, ns2, resolver]) {
      const others = zoneAnswers('acme.example', server === resolver ? delegation : {});
      server.answer = (query) => {
        if (query.name !== 'docs.acme.example') return others(query);
        return { answers: query.type === 'A' ? [cname, led] : [cname] };
      };
    }
    expect(await verdict()).toEqual({ kind: 'matches', by: 'target' });
  });

  it('overrule an outdated answer of a resolver', async () => {
    resolver.answer = zoneAnswers('acme.example', { ...delegation, ...right });
    for (const server of [ns1, ns2])
      server.answer = zoneAnswers('acme.example', { 'A docs.acme.example': ['192.0.2.1'] });
    expect(await verdict()).toMatchObject({ kind: 'mismatch', issues: [{ code: 'conflicting_a' }] });
  });

  it('are followed into the next zone while a resolver has the old record', async () => {
    const chain = zoneAnswers('acme.example', { 'CNAME docs.acme.example': ['hop.other.example'] });
    ns1.answer = chain;
    ns2.answer = chain;
    resolver.answer = zoneAnswers('acme.example', { ...delegation, 'CNAME hop.other.example': [target] });
    expect(await verdict()).toMatchObject({ kind: 'matches', notes: [{ code: 'propagating' }] });
  });

  it('are found above an alias on the way', async () => {
    const deep = { ...expected, name: 'a.docs.acme.example' };
    resolver.answer = zoneAnswers('acme.example', { ...delegation, 'CNAME docs.acme.example': ['elsewhere.example'] });
    const { lookups } = await gatherDns(servers().open(patience), deep, new Date());
    expect(asked(lookups)).toContain('CNAME a.docs.acme.example');
  });

  it.each(['127.0.0.1', '10.0.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1'])(
    'are not queried at the private address %s, unless the configuration allows it',
    async (address) => {
      resolver.answer = zoneAnswers('acme.example', {
        'NS acme.example': ['ns1.acme.example'],
        'A ns1.acme.example': [address],
      });
      expect(await verdict()).toMatchObject({ kind: 'mismatch', issues: [{ code: 'no_record' }] });
      expect(ns1.queries).toHaveLength(0);
      expect(await verdict(servers(true))).toMatchObject({ kind: 'matches', by: 'target' });
    },
  );

  it('are reported by name and sorted', async () => {
    const more = { 'NS acme.example': ['NS2.acme.example', 'ns1.acme.example', 'ns2.acme.example'] };
    resolver.answer = zoneAnswers('acme.example', { ...delegation, ...more });
    const { nameServers } = await gatherDns(servers().open(patience), expected, new Date());
    expect(nameServers).toEqual(['ns1.acme.example', 'ns2.acme.example']);
  });

  it('are reported by name also with a private address or none', async () => {
    const { 'NS acme.example': names } = delegation;
    resolver.answer = zoneAnswers('acme.example', { 'NS acme.example': names, 'A ns1.acme.example': ['10.0.0.1'] });
    const found = await gatherDns(servers().open(patience), expected, new Date());
    expect(asked(found.lookups)).toEqual([]);
    expect(found.nameServers).toEqual(['ns1.acme.example', 'ns2.acme.example']);
  });

  it('are reported if their names are host names, and at most 16', async () => {
    const many = Array.from({ length: 20 }, (_, index) => `n${index}.acme.example`);
    resolver.answer = zoneAnswers('acme.example', { 'NS acme.example': ['a b.example', 'nul\0.example', ...many] });
    const { nameServers } = await gatherDns(servers().open(patience), expected, new Date());
    expect(nameServers).toEqual([...many].sort().slice(0, 16));
  });

  it.each<[string, ScriptedDns['answer']]>([
    ['nobody answers', () => ({ rcode: 2 })],
    ['there is no such zone', () => ({ rcode: 3 })],
  ])('are not reported where %s', async (_case, answer) => {
    resolver.answer = answer;
    expect(await gatherDns(servers().open(patience), expected, new Date())).toMatchObject({ nameServers: null });
  });

  it('decide about CAA too, and aliases that lead out of the zone are followed', async () => {
    const policy = { identities: ['ca.example'], accountUrl: null };
    const forbidding = { 'CAA acme.example': ['other.example'] };
    resolver.answer = zoneAnswers('acme.example', { ...delegation, ...forbidding });
    const stale = await gatherCaa(servers().open(patience), expected);
    expect(evaluateCaa(stale, expected.name, policy)).toEqual({ kind: 'permits' });

    resolver.answer = zoneAnswers('acme.example', { ...delegation, [`CAA ${target}`]: ['other.example'] });
    const aliased = await gatherCaa(servers().open(patience), expected);
    expect(evaluateCaa(aliased, expected.name, policy)).toMatchObject({ kind: 'forbids', at: target });
  });
});

describe('a zone that does not answer', () => {
  it('gets a short timeout next time, and another zone below the same domain does not', async () => {
    const answer = resolver.answer;
    resolver.answer = (query) => (query.name.endsWith('hang.example') ? null : answer(query));
    const from = servers();
    const timed = async (name: string) => {
      const [server] = from.open(patience).resolvers;
      const beganMs = performance.now();
      const { answer: found } = (await server?.query(name, 'CNAME')) ?? {};
      return { kind: found?.kind, ms: performance.now() - beganMs };
    };
    const [first, next, below] = [
      await timed('a.hang.example'),
      await timed('a.hang.example'),
      await timed('_pets.a.hang.example'),
    ];
    expect([first, next, below].map(({ kind }) => kind)).toEqual(['failed', 'failed', 'failed']);
    expect(first.ms).toBeGreaterThanOrEqual(1_100);
    expect(Math.max(next.ms, below.ms)).toBeLessThan(600);
    expect((await timed('b.hang.example')).ms).toBeGreaterThanOrEqual(1_100);
    from.close();
  });

  it('holds no more of the slots of a resolver than its share: another domain is answered at once', async () => {
    const answer = resolver.answer;
    resolver.answer = (query) => (query.name.endsWith('hang.example') ? null : answer(query));
    const from = servers();
    const [server] = from.open(patience).resolvers;
    if (server === undefined) throw new Error('there is no resolver');
    const hanging = Array.from({ length: 400 }, (_, i) => server.query(`n${i}.hang.example`, 'CNAME'));
    const beganMs = performance.now();
    expect((await server.query('docs.acme.example', 'A')).answer.kind).toBe('absent');
    expect(performance.now() - beganMs).toBeLessThan(500);
    from.close();
    await Promise.all(hanging);
  });
});
