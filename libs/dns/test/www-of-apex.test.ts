/** Whether the `www.` name proves the apex, with real name servers of a zone, of its parent and of a zone below. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ExpectedDns } from '@pets/contracts';
import { expectedDns } from '@pets/testing';
import { evaluateWww, evaluateDns, observedRecords } from '@pets/domains';
import { DnsServers } from '../src/dns-servers.js';
import { gatherDns } from '../src/gather-dns.js';
import { startScriptedDns, zoneAnswers, type ScriptedDns } from './scripted-dns.js';

const APEX = 'acme.example';
const WWW = `www.${APEX}`;
const wwwTargetHost = 'w1.cname.pets.example';
const targetHost = 't1.cname.pets.example';
const apex = expectedDns({ name: APEX, isApex: true, targetHost });
const expected = { ...apex, wwwTargetHost };
const addresses = {
  [`A ns1.${APEX}`]: ['93.184.215.1'],
  [`A ${APEX}`]: ['198.51.100.7'],
  [`A ${targetHost}`]: ['198.51.100.7'],
};
const delegation = { [`NS ${APEX}`]: [`ns1.${APEX}`], ...addresses };
const own = { [`A ${APEX}`]: ['198.51.100.7'], [`CNAME ${WWW}`]: [wwwTargetHost] };
const patience = new AbortController().signal;
let resolver: ScriptedDns;
let ns1: ScriptedDns;

beforeEach(async () => {
  [resolver, ns1] = await Promise.all([startScriptedDns(), startScriptedDns()]);
  resolver.answer = zoneAnswers(APEX, { ...delegation, ...own });
  ns1.answer = zoneAnswers(APEX, own);
});
afterEach(() => Promise.all([resolver.close(), ns1.close()]));

async function look(about: ExpectedDns = expected) {
  const servers = new DnsServers(
    { resolvers: [resolver.address], allowPrivateAuthoritative: false },
    { tryMs: 300, locate: () => ({ host: '127.0.0.1', port: ns1.port }) },
  );
  try {
    return await gatherDns(servers.open(patience), about, new Date());
  } finally {
    servers.close();
  }
}

const verdict = async () => evaluateWww(await look(), expected).kind;
const isBelowWww = (name: string) => name === WWW || name.endsWith(`.${WWW}`);

describe('the www name', () => {
  it('proves the apex in the same zone, and does not change the verdict on the apex', async () => {
    const findings = await look();
    expect(evaluateWww(findings, expected)).toEqual({ kind: 'proven' });
    expect(evaluateDns(findings, expected)).toEqual({ kind: 'matches', by: 'address' });
    expect(observedRecords(findings, targetHost).map(({ name, type }) => `${type} ${name}`)).toEqual([
      `A ${APEX}`,
      `A ${APEX}`,
      `CNAME ${WWW}`,
    ]);
  });

  it('does not prove it where it is delegated, for any answer of the resolvers', async () => {
    const inZone = zoneAnswers(APEX, own);
    ns1.answer = (query) => {
      if (!isBelowWww(query.name)) return inZone(query);
      const authorities = [{ name: WWW, type: 'NS' as const, data: 'ns.attacker.example', ttl: 60 }];
      return { isAuthoritative: false, authorities };
    };
    expect(await verdict()).toBe('unknown');
  });

  it('does not prove it where the same servers serve a separate zone for it', async () => {
    const [inZone, below] = [zoneAnswers(APEX, own), zoneAnswers(WWW, own)];
    ns1.answer = (query) => (isBelowWww(query.name) ? below(query) : inZone(query));
    expect(await verdict()).toBe('refuted');
  });

  it('does not prove it where it points elsewhere', async () => {
    ns1.answer = zoneAnswers(APEX, { ...own, [`CNAME ${WWW}`]: ['t9.cname.pets.example'] });
    expect(await verdict()).toBe('refuted');
  });

  it('does not prove it where the zone begins above the apex, and others may have names in it', async () => {
    resolver.answer = zoneAnswers('hosting.example', { ...addresses, ...own, 'NS hosting.example': [`ns1.${APEX}`] });
    ns1.answer = zoneAnswers('hosting.example', own);
    expect(await verdict()).toBe('unknown');
  });

  it.each<[string, ScriptedDns['answer']]>([
    ['are silent', () => null],
    ['refuse', () => ({ rcode: 5 })],
    ['do not serve the zone', () => ({ isAuthoritative: false })],
  ])('does not prove it where the servers of the zone %s', async (_case, answer) => {
    ns1.answer = answer;
    expect(await verdict()).toBe('unknown');
  });

  it('is not queried where it would prove nothing', async () => {
    await look(apex);
    expect(ns1.queries.map(({ name }) => name).filter(isBelowWww)).toEqual([]);
  });
});
