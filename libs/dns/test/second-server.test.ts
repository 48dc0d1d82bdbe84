/** A check of a name whose zone has two servers at ports of this machine, as the development stack has them. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { evaluateDns } from '@pets/domains';
import { expectedDns, startDevDns, type DevDns } from '@pets/testing';
import { DnsServers } from '../src/dns-servers.js';
import { gatherDns } from '../src/gather-dns.js';

const NAME = 'docs.acme.example';
const TARGET = 't1.cname.pets.example';
const expected = expectedDns({ name: NAME, targetHost: TARGET });

let dns: DevDns;
let servers: DnsServers;

beforeEach(async () => {
  dns = await startDevDns({ secondPort: 0 });
  dns.put({ name: TARGET, type: 'A', data: '127.0.0.1' });
  const authoritativeAt = new Map([
    ['192.0.2.1', dns.address],
    ['192.0.2.2', dns.secondAddress ?? ''],
  ]);
  const options = { resolvers: [dns.address], allowPrivateAuthoritative: false, resolversHoldZones: true };
  servers = new DnsServers({ ...options, authoritativeAt }, { tryMs: 200 });
});
afterEach(async () => {
  servers.close();
  await dns.close();
});

async function check() {
  const findings = await gatherDns(servers.open(new AbortController().signal), expected, new Date());
  return { verdict: evaluateDns(findings, expected), names: findings.nameServers };
}

async function addSecondServer(state: string): Promise<void> {
  const body = JSON.stringify({ zone: 'acme.example', state });
  const { status } = await fetch(`${dns.controlUrl}/second-servers`, { method: 'PUT', body });
  expect(status).toBe(200);
}

const pointHere = () => dns.put({ name: NAME, type: 'CNAME', data: `${TARGET}.` });

it.each(['same', 'lame', 'silent'])('matches by the first server where the second one is %s', async (state) => {
  await addSecondServer(state);
  pointHere();
  expect(await check()).toEqual({
    verdict: { kind: 'matches', by: 'target' },
    names: ['ns1.dev-dns.test', 'ns2.dev-dns.test'],
  });
});

it('does not match while the second server is stale, which it names', async () => {
  await addSecondServer('stale');
  pointHere();
  const { verdict } = await check();
  expect(verdict).toMatchObject({
    kind: 'mismatch',
    issues: [{ code: 'propagating', evidence: { stale: [dns.secondAddress] } }, { code: 'no_record' }],
  });
});

it('finds a second server in the check after it was added, since the resolver has all zones', async () => {
  pointHere();
  expect(await check()).toEqual({ verdict: { kind: 'matches', by: 'target' }, names: null });
  await addSecondServer('same');
  expect((await check()).names).toHaveLength(2);
});
