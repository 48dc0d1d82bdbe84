import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect as tcpConnect, createServer, type AddressInfo, type Socket } from 'node:net';
import { connect as tlsConnect, type TLSSocket } from 'node:tls';
import { waitUntil } from '@pets/testing';
import { siteRoute, EdgeFixture } from './edge-fixture.js';
import { head, malformed, smuggling } from './hostile-requests.js';
import { exchangeRaw } from './visitor.js';

let fixture: EdgeFixture;

beforeAll(async () => {
  fixture = await EdgeFixture.build();
  await fixture.startEdge({ EDGE_HANDSHAKES_PER_ADDRESS: '0' }); // all that comes here comes from one address
  await fixture.publishSite('site.test');
  await fixture.api.publishAndSettle({ 'plain.test': siteRoute('certificate-of-site.test') });
});
afterEach(async () => {
  expect((await fixture.visitor.secure('site.test')).body).toBe('<h1>Home</h1>');
});
afterAll(() => fixture.tearDown());

/** Statuses of all answers in what came back. */
const statusesOf = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

describe.each(['plain', 'secure'] as const)('on the %s port', (port) => {
  const connect = () => (port === 'plain' ? fixture.visitor.tcp() : fixture.visitor.handshake('site.test'));
  const exchange = async (text: string) => {
    const socket = await connect();
    socket.on('error', () => undefined); // it may be reset while the rest is being sent
    return exchangeRaw(socket, text);
  };

  it.each(smuggling)('no request is smuggled by %s', async (_name, text) => {
    const statuses = statusesOf(await exchange(text));
    expect(statuses.length).toBeLessThanOrEqual(1);
  });

  it.each(malformed)('%s is refused', async (_name, text) => {
    const received = await exchange(text);
    const statuses = statusesOf(received);
    expect(statuses.length).toBeLessThanOrEqual(1);
    expect(statuses.filter((status) => status < 400)).toEqual([]);
  });

  it('a request whose body never arrives gets its response and loses its connection', async () => {
    const startedAtMs = performance.now();
    const received = await exchange(head('Content-Length: 1000000\r\n'));
    expect(statusesOf(received)).toEqual([port === 'plain' ? 308 : 405]);
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  });

  it('pipelined requests are answered in order', async () => {
    const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: site.test\r\n${more}\r\n`;
    const received = await exchange(get('/about') + get('/docs/') + get('/', 'Connection: close\r\n'));
    expect(statusesOf(received)).toHaveLength(3);
  });

  it('upgrades to another protocol are refused', async () => {
    const upgrade =
      'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n';
    expect(statusesOf(await exchange(head(upgrade, 'GET')))).toEqual([port === 'plain' ? 308 : 200]);
  });
});

describe('slow clients', () => {
  const headersThatDoNotEnd = async () => {
    const socket = await fixture.visitor.handshake('site.test');
    const drip = setInterval(() => socket.write('X: y\r\n'), 200);
    socket.on('error', () => undefined);
    const received = await exchangeRaw(socket, 'GET / HTTP/1.1\r\nHost: site.test\r\n').finally(() =>
      clearInterval(drip),
    );
    expect(statusesOf(received)).toEqual([408]);
  };
  const handshakeThatDoesNotEnd = async () => {
    const socket = tcpConnect(fixture.edge.ports().https, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00])); // the head of a record that does not come
    await once(socket.resume(), 'close', { signal: AbortSignal.timeout(30_000) });
  };
  const nothingMoreIsAskedFor = async () => {
    const socket = await fixture.visitor.handshake('site.test');
    socket.write('GET / HTTP/1.1\r\nHost: site.test\r\n\r\n');
    await once(socket.resume(), 'close', { signal: AbortSignal.timeout(30_000) });
  };

  it('are disconnected, whatever they send slowly', async () => {
    const failed = await fixture.count('edge_handshakes_total{result="failed"}');
    await Promise.all([headersThatDoNotEnd(), handshakeThatDoesNotEnd(), nothingMoreIsAskedFor()]);
    expect(await fixture.count('edge_handshakes_total{result="failed"}')).toBe(failed + 1);
  });
});

/** The first message of a handshake, as a client would send it. */
async function captureClientHello(servername: string): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a path
  const client = tlsConnect({ host: '127.0.0.1', port, servername }).on('error', () => undefined);
  const [connection] = (await once(server, 'connection')) as [Socket];
  const [hello] = (await once(connection, 'data')) as [Buffer];
  client.destroy();
  connection.destroy();
  server.close();
  return hello;
}

describe('TLS handshakes', () => {
  it('cannot be repeated on an open connection: renegotiation is refused', async () => {
    const socket = await fixture.visitor.handshake('site.test', { maxVersion: 'TLSv1.2' });
    socket.on('error', () => undefined);
    const renegotiated = new Promise<string>((resolve) => {
      socket.renegotiate({}, (error) => resolve(error === null ? 'renegotiated' : 'refused'));
      socket.once('close', () => resolve('closed'));
    });
    expect(await renegotiated).not.toBe('renegotiated');
  });

  it('for ten thousand names that do not exist are refused from memory', async () => {
    const before = fixture.api.certificateRequests.length;
    const hello = await captureClientHello('unknown-00000.test');
    const names = Array.from({ length: 10_000 }, (_, index) => `unknown-${String(index).padStart(5, '0')}.test`);
    const refuseNext = async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        const socket = tcpConnect(fixture.edge.ports().https, '127.0.0.1').on('error', () => undefined);
        socket.write(Buffer.from(hello.toString('latin1').replace('unknown-00000.test', name), 'latin1'));
        await once(socket.resume(), 'close', { signal: AbortSignal.timeout(30_000) });
      }
    };
    const refusals = Promise.all(Array.from({ length: 16 }, refuseNext));
    for (let left = 9_500; left > 0; left -= 500) {
      await waitUntil(() => names.length <= left, { message: `${left} names are left`, timeoutMs: 30_000 });
      expect((await fixture.visitor.secure('site.test')).status).toBe(200);
    }
    await refusals;
    expect(await fixture.count('edge_handshakes_total{result="unknown_name"}')).toBeGreaterThanOrEqual(10_000);
    expect(fixture.api.certificateRequests.length).toBe(before);
    expect(await fixture.count('edge_certificates_open')).toBe(1);
  });
});

describe('connections', () => {
  it('are limited per address, and closed ones free their places', async () => {
    const crowded = await EdgeFixture.build();
    try {
      await crowded.startEdge({ EDGE_MAX_CONNECTIONS_PER_ADDRESS: '3' });
      await crowded.publishSite('site.test');
      const held: TLSSocket[] = [];
      for (let place = 0; place < 3; place++) held.push(await crowded.visitor.handshake('site.test'));
      await expect(crowded.visitor.handshake('site.test')).rejects.toThrow();
      await expect(crowded.visitor.plain('site.test')).rejects.toThrow();
      expect(await crowded.count('edge_connections_refused_total{limit="address"}')).toBe(2);
      for (const socket of held) socket.destroy();
      await waitUntil(async () => (await crowded.count('edge_connections')) === 0, { message: 'the places are free' });
      expect((await crowded.visitor.secure('site.test')).status).toBe(200);
    } finally {
      await crowded.tearDown();
    }
  });

  it('of one address start a limited number of handshakes per second; others wait, and too many are refused', async () => {
    const crowded = await EdgeFixture.build();
    const silent: Socket[] = [];
    try {
      await crowded.startEdge({ EDGE_HANDSHAKES_PER_ADDRESS: '1' });
      await crowded.publishSite('site.test');
      const handshakes = [crowded.visitor.handshake('site.test'), crowded.visitor.handshake('site.test')];
      expect(await Promise.all(handshakes)).toHaveLength(2);
      for (let place = 0; place < 7; place++) {
        const { https } = crowded.edge.ports();
        silent.push(tcpConnect(https, '127.0.0.1').on('error', () => undefined));
      }
      const refused = () => crowded.count('edge_connections_refused_total{limit="handshakes"}');
      await waitUntil(async () => (await refused()) > 0, { message: 'one is refused' });
      expect((await crowded.visitor.plain('site.test')).status).toBe(308);
    } finally {
      for (const socket of silent) socket.destroy();
      await crowded.tearDown();
    }
  });
});
