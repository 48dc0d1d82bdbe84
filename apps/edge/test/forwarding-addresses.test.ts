import { once } from 'node:events';
import { createServer } from 'node:net';
import { createSecureContext } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CheckedAddresses } from '@pets/platform';
import { startDevDns, type DevDns } from '@pets/testing';
import { AddressBreaker } from '../src/forward/address-breaker.js';
import { connectOrigin, type OriginSocket } from '../src/forward/connect-origin.js';
import type { OriginError } from '../src/forward/origin-error.js';
import { makeCertificate } from './certificates.js';
import type { EdgeFixture } from './edge-fixture.js';
import { buildForwardingFixture, serveApplication, TestOrigin } from './forwarding-fixture.js';

const HOST = 'app.pets.test';

describe('an edge that forwards to the public Internet only', () => {
  let fixture: EdgeFixture;
  beforeAll(async () => {
    fixture = await buildForwardingFixture({ EDGE_ALLOW_PRIVATE_ORIGINS: 'false' });
  });
  afterAll(() => fixture.tearDown());

  it.each([
    ['a loopback address', 'https://127.0.0.1:8443'],
    ['a name for it', 'https://localhost:8443'],
    ['a private address', 'https://10.0.0.1'],
    ['metadata of a cloud', 'https://169.254.169.254'],
    ['an address in decimal', 'https://2130706433'],
    ['IPv4-mapped IPv6', 'https://[::ffff:127.0.0.1]'],
    ['NAT64', 'https://[64:ff9b::7f00:1]'],
    ['6to4', 'https://[2002:7f00:1::]'],
    ['a local IPv6 address', 'https://[fd00::1]'],
    ['no TLS', 'http://93.184.215.14'],
    ['a port of mail', 'https://93.184.215.14:25'],
  ])('refuses %s before connecting', async (_name, url) => {
    await serveApplication(fixture, HOST, url);
    const reply = await fixture.visitor.secure(HOST, { headers: { accept: 'application/json' } });
    expect(reply.status).toBe(502);
    expect(JSON.parse(reply.body)).toMatchObject({ code: 'origin_not_allowed' });
  });
});

describe('a connection to an application', () => {
  let dns: DevDns;
  let origin: TestOrigin;
  beforeAll(async () => {
    dns = await startDevDns();
    origin = await TestOrigin.http((_request, response) => response.end());
  });
  afterAll(async () => {
    await origin.close();
    await dns.close();
  });

  interface Way {
    readonly isAllowed?: (address: string) => boolean;
    readonly breaker?: AddressBreaker;
    readonly addresses?: CheckedAddresses;
    readonly connectMs?: number;
  }

  const resolving = (isAllowed: (address: string) => boolean = () => true, maxTtlSeconds = 0) =>
    new CheckedAddresses({ isAllowed, servers: [dns.address], maxTtlSeconds });

  async function connect(host: string, way: Way = {}): Promise<OriginSocket> {
    const { isAllowed, breaker = new AddressBreaker(), addresses = resolving(isAllowed), connectMs = 2_000 } = way;
    const place = { host, port: origin.port, isTls: false, serverName: host, connectMs };
    const deps = { addresses, breaker, secureContext: createSecureContext(), assertAllowed: () => undefined };
    const opened = await connectOrigin(place, deps, {});
    opened.socket.destroy();
    return opened;
  }

  it('goes to the next address when one refuses', async () => {
    for (const data of ['127.0.0.2', '127.0.0.3', '127.0.0.1']) dns.put({ type: 'A', name: 'three.example', data });
    expect(await connect('three.example')).toMatchObject({ address: '127.0.0.1' });
  });

  it('goes to allowed addresses only, although the name has others', async () => {
    dns.put({ type: 'A', name: 'mixed.example', data: '127.0.0.1' });
    dns.put({ type: 'A', name: 'mixed.example', data: '127.0.0.9' });
    await expect(connect('mixed.example', { isAllowed: (address) => address === '127.0.0.9' })).rejects.toMatchObject({
      failure: 'connection',
    });
    await expect(connect('mixed.example', { isAllowed: () => false })).rejects.toMatchObject({
      failure: 'address_not_allowed',
    });
  });

  it('is checked with the answer that it uses: a name that turns to a private address is refused', async () => {
    const addresses = resolving((address) => address === '127.0.0.1');
    dns.put({ type: 'A', name: 'turned.example', data: '127.0.0.1' });
    await connect('turned.example', { addresses });
    dns.remove('turned.example', 'A');
    dns.put({ type: 'A', name: 'turned.example', data: '127.0.0.8' });
    await expect(connect('turned.example', { addresses })).rejects.toMatchObject({ failure: 'address_not_allowed' });
  });

  it('never goes to an address that was not checked, although each query has another answer', async () => {
    let accepted = 0;
    const inside = createServer(() => (accepted += 1)).listen(origin.port, '127.0.0.66');
    await once(inside, 'listening');
    const rotation = { name: 'turning.example', addresses: ['127.0.0.1', '127.0.0.66'], count: 1 };
    await fetch(`${dns.controlUrl}/rotations`, { method: 'PUT', body: JSON.stringify(rotation) });
    const addresses = resolving((address) => address === '127.0.0.1');
    const seen = new Set<string>();
    for (let count = 0; count < 20; count++)
      seen.add(
        await connect('turning.example', { addresses }).then(
          ({ address }) => address,
          (error: OriginError) => error.failure,
        ),
      );
    expect(seen).toEqual(new Set(['127.0.0.1', 'address_not_allowed']));
    expect(accepted).toBe(0);
    inside.close();
  });

  it('uses an answer for its TTL', async () => {
    const addresses = resolving(() => true, 60);
    dns.put({ type: 'A', name: 'kept.example', data: '127.0.0.1', ttl: 30 });
    await connect('kept.example', { addresses });
    dns.remove('kept.example', 'A');
    expect(await connect('kept.example', { addresses })).toMatchObject({ address: '127.0.0.1' });
  });

  it('is not tried for a while after three failures, also when the name has no address', async () => {
    const breaker = new AddressBreaker();
    dns.put({ type: 'A', name: 'down.example', data: '127.0.0.5' });
    for (let count = 0; count < 3; count++)
      await expect(connect('down.example', { breaker })).rejects.toThrow('ECONNREFUSED');
    await expect(connect('down.example', { breaker })).rejects.toThrow('a moment ago');
    const absent = new AddressBreaker();
    for (let count = 0; count < 3; count++)
      await expect(connect('absent.example', { breaker: absent })).rejects.toMatchObject({ failure: 'dns' });
    await expect(connect('absent.example', { breaker: absent })).rejects.toThrow('a moment ago');
  });

  it('ends after its time', async () => {
    // No packet comes back from an address for documentation (RFC 5737), or the network says at once that it has none.
    const opening = connect('192.0.2.1', { connectMs: 300 });
    await expect(opening).rejects.toMatchObject({ failure: 'connection' });
  });

  it('verifies the certificate with its own CA, for the name that is asked for', async () => {
    const certificate = await makeCertificate('app.example');
    const secure = await TestOrigin.http((_request, response) => response.end(), certificate);
    const secureContext = createSecureContext({ ca: certificate.cert });
    const to = (serverName: string) =>
      connectOrigin(
        { host: '127.0.0.1', port: secure.port, isTls: true, serverName, connectMs: 2_000 },
        { addresses: resolving(), breaker: new AddressBreaker(), secureContext, assertAllowed: () => undefined },
        {},
      );
    const opened = await to('app.example');
    opened.socket.destroy();
    await expect(to('other.example')).rejects.toMatchObject({ failure: 'certificate' });
    await secure.close();
  });
});
