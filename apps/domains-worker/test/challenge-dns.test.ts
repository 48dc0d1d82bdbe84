import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DnsServers } from '@pets/dns';
import { createLogger } from '@pets/platform';
import { startDevDns, waitUntil, type DevDns } from '@pets/testing';
import { ChallengeDns } from '../src/challenges/challenge-dns.js';

const signal = new AbortController().signal;
const zone = 'acme.pets.localhost';
const name = `t0k3n.${zone}`;
const key = { name: 'pets-acme', secret: randomBytes(32) };
let dns: DevDns;
let servers: DnsServers;

beforeAll(async () => {
  dns = await startDevDns({ platformDomain: 'pets.localhost', challengeZone: { name: zone, key } });
  servers = new DnsServers({ resolvers: [dns.address], allowPrivateAuthoritative: false, resolversHoldZones: true });
});
afterAll(async () => {
  servers.close();
  await dns.close();
});

function challengesWith(tsigKey = key, log = createLogger('test', 'silent')): ChallengeDns {
  const config = { ACME_DNS_SERVER: dns.address, ACME_DNS_ZONE: zone, ACME_DNS_TSIG_KEY: tsigKey };
  return new ChallengeDns(config, log, servers);
}

async function valuesAt(at: string): Promise<string[]> {
  const answer = (await servers.open(signal).resolvers[0]?.query(at, 'TXT'))?.answer;
  return answer?.kind === 'found' ? answer.records.map(({ value }) => value).sort() : [];
}

describe('ChallengeDns', () => {
  it('publishes the values of two orders for one name, and removes those of one', async () => {
    const challenges = challengesWith();
    expect(await challenges.publish({ name, values: ['base', 'wildcard'] }, signal)).toEqual({ kind: 'complete' });
    expect(await challenges.publish({ name, values: ['another'] }, signal)).toEqual({ kind: 'complete' });
    await challenges.remove({ name, values: ['base', 'wildcard'] }, signal);
    expect(await valuesAt(name)).toEqual(['another']);
    await challenges.removeAll(name, signal);
    expect(await valuesAt(name)).toEqual([]);
  });

  it('removes values that are not there', async () => {
    await challengesWith().remove({ name, values: ['never'] }, signal);
  });

  it('reports why an update was refused', async () => {
    const other = challengesWith({ name: key.name, secret: randomBytes(32) });
    const refused = other.publish({ name, values: ['x'] }, signal);
    await expect(refused).rejects.toMatchObject({ name: 'DnsUpdateError', reason: 'bad_signature' });
  });

  it('logs at its start whether the name server accepts updates', async () => {
    const lines: unknown[][] = [];
    const log = { ...createLogger('test', 'silent'), info: (...line: unknown[]) => lines.push(line) };
    const warned = { ...log, warn: (...line: unknown[]) => lines.push(line) };
    const ready = challengesWith(key, log);
    ready.start();
    await waitUntil(() => lines.length > 0, { message: 'a line' });
    expect(lines).toEqual([[{ zone, server: dns.address }, 'challenge zone ready']]);
    lines.length = 0;
    const refused = challengesWith({ name: 'other', secret: key.secret }, warned);
    refused.start();
    await waitUntil(() => lines.length > 0, { message: 'a line' });
    refused.stop();
    expect(lines[0]).toMatchObject([{ reason: 'bad_key' }, 'challenge zone not ready yet']);
  });
});
