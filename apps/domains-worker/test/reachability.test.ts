import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DnsServers } from '@pets/dns';
import { describeWhen, expectedDns, freePort, startDevDns, type DevDns } from '@pets/testing';
import { isReachable, tryChallengePath } from '../src/challenges/challenge-handlers.js';

const name = 'docs.acme.example';
const targetHost = 't1.cname.pets.example';
const expected = expectedDns({ name, targetHost });
const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));

describeWhen(describe, 'a name with addresses of both families', hasIpv6 ? null : 'this machine has no IPv6', () => {
  let dns: DevDns;
  let port: number;
  const servers: Server[] = [];
  beforeEach(async () => {
    [dns, port] = [await startDevDns(), await freePort()];
    dns.put({ type: 'CNAME', name, data: `${targetHost}.` });
    dns.put({ type: 'A', name: targetHost, data: '127.0.0.1' });
    dns.put({ type: 'AAAA', name: targetHost, data: '::1' });
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) server.close();
    await dns.close();
  });

  async function serve(host: string, answer: (token: string) => string): Promise<void> {
    const server = createServer((request, response) => {
      response.end(answer(request.url?.split('/').at(-1) ?? ''));
    });
    server.listen(port, host);
    await once(server, 'listening');
    servers.push(server);
  }

  async function look(isShownByZone: boolean, listed: { addresses?: string[]; shown?: string[] } = {}) {
    const looker = new DnsServers({ resolvers: [dns.address], allowPrivateAuthoritative: false });
    const signal = AbortSignal.timeout(10_000);
    const { shown = [], ...own } = listed;
    const path = { port, thumbprint: 'ours', isShownByZone, shown };
    const seen = await tryChallengePath(looker.open(signal).resolvers, { ...expected, ...own }, path, signal);
    looker.close();
    return { seen, isOpen: isReachable(seen) };
  }

  const ours = (token: string) => `${token}.ours`;

  describe.each([
    ['as the resolvers show it', false],
    ['as the zone shows it', true],
  ])('%s', (_case, isShownByZone) => {
    it('is reachable where both answer', async () => {
      await serve('127.0.0.1', ours);
      await serve('::1', ours);
      expect((await look(isShownByZone)).isOpen).toBe(true);
    });

    it('is not reachable where nothing listens at the IPv6 address, and reports it', async () => {
      await serve('127.0.0.1', ours);
      const { seen, isOpen } = await look(isShownByZone);
      expect(isOpen).toBe(false);
      expect(seen).toEqual([
        { address: '127.0.0.1', error: null },
        { address: '::1', error: 'ECONNREFUSED' },
      ]);
    });

    it('is not reachable where another server answers at the IPv6 address', async () => {
      await serve('127.0.0.1', ours);
      await serve('::1', () => 'welcome to another host');
      const { seen, isOpen } = await look(isShownByZone);
      expect(isOpen).toBe(false);
      expect(seen[1]).toEqual({ address: '::1', error: expect.stringContaining('did not reach our edges') });
    });

    it('is not reachable where only the IPv6 address answers', async () => {
      await serve('::1', ours);
      expect(await look(isShownByZone)).toMatchObject({ isOpen: false, seen: [{ error: 'ECONNREFUSED' }, {}] });
    });
  });

  it('is tried at the listed addresses that it shows, and at no other of the target', async () => {
    await serve('127.0.0.1', ours);
    expect(await look(true, { addresses: ['127.0.0.1', '::1'], shown: ['127.0.0.1'] })).toEqual({
      seen: [{ address: '127.0.0.1', error: null }],
      isOpen: true,
    });
  });

  it('is tried at a listed address that resolvers do not return for the target', async () => {
    dns.remove(targetHost, 'AAAA');
    dns.remove(name, 'CNAME');
    dns.put({ type: 'AAAA', name, data: '::1' });
    await serve('::1', ours);
    expect((await look(false, { addresses: ['127.0.0.1', '0:0::1'] })).isOpen).toBe(true);
    expect((await look(false)).isOpen).toBe(false);
  });

  it('with an IPv6 address that is not ours is not reachable', async () => {
    dns.remove(name, 'CNAME');
    dns.put({ type: 'A', name, data: '127.0.0.1' });
    dns.put({ type: 'AAAA', name, data: '2001:db8::1' });
    await serve('127.0.0.1', ours);
    const { seen, isOpen } = await look(false);
    expect(isOpen).toBe(false);
    expect(seen[1]).toEqual({ address: '2001:db8::1', error: `is not an address of ${targetHost}` });
  });
});
