import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { connect as tcpConnect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { waitUntil } from '@pets/testing';
import { EdgeFixture } from './edge-fixture.js';

const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const version1 = (client: string) => Buffer.from(`PROXY TCP4 ${client} 198.51.100.1 54321 443\r\n`);
const version2 = (client: string) =>
  Buffer.concat([
    signature,
    Buffer.from([0x21, 0x11, 0, 12]),
    Buffer.from(client.split('.').map(Number)),
    Buffer.from([198, 51, 100, 1, 0xd4, 0x31, 0x01, 0xbb]),
  ]);
const request = 'GET / HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n';

let fixture: EdgeFixture;

async function startEdge(settings: Record<string, string>): Promise<void> {
  fixture = await EdgeFixture.build();
  await fixture.startEdge(settings);
  await fixture.publishSite('site.test');
}

async function open(port: number): Promise<Socket> {
  const socket = tcpConnect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

/** Everything that the edge sends until it ends the connection; empty after a reset. */
async function replyOf(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  await waitUntil(() => socket.closed, { message: 'the connection ends' });
  return Buffer.concat(chunks).toString();
}

/** A request over TLS after these bytes. @returns the reply; rejects when the handshake fails */
async function secureReply(head: Buffer): Promise<string> {
  const socket = await open(fixture.edge.ports().https);
  socket.write(head);
  const secure = tlsConnect({ socket, servername: 'site.test', rejectUnauthorized: false });
  await once(secure, 'secureConnect', { signal: AbortSignal.timeout(30_000) });
  secure.write(request);
  return replyOf(secure);
}

async function plainReply(...pieces: readonly (Buffer | string)[]): Promise<string> {
  const socket = await open(fixture.edge.ports().http);
  socket.setNoDelay(true);
  for (const piece of pieces) socket.write(piece);
  return replyOf(socket);
}

/** The client addresses of the access log. */
const clients = () => fixture.accessLines.map((line) => (JSON.parse(line) as { client: string }).client);
const isLogged = (client: string) =>
  waitUntil(() => clients().includes(client), { message: `a request of ${client} is logged` });

describe('connections of a trusted proxy', () => {
  beforeAll(() => startEdge({ EDGE_TRUSTED_PROXIES: '127.0.0.0/8', EDGE_MAX_CONNECTIONS_PER_ADDRESS: '2' }));
  afterAll(() => fixture.tearDown());

  it.each([
    ['version 1', version1, '203.0.113.1'],
    ['version 2', version2, '203.0.113.2'],
  ])('carry the client in a header of %s, over TLS', async (_name, header, client) => {
    expect(await secureReply(header(client))).toContain('<h1>Home</h1>');
    await isLogged(client);
  });

  it.each([
    ['version 1', version1, '203.0.113.3'],
    ['version 2', version2, '203.0.113.4'],
  ])('carry the client in a header of %s, on the plain port', async (_name, header, client) => {
    expect(await plainReply(header(client), request)).toMatch(/^HTTP\/1\.1 308 /);
    await isLogged(client);
  });

  it('may send header and request in one write', async () => {
    expect(await plainReply(Buffer.concat([version1('203.0.113.5'), Buffer.from(request)]))).toMatch(
      /^HTTP\/1\.1 308 /,
    );
    await isLogged('203.0.113.5');
  });

  it('may send a header byte by byte', async () => {
    const pieces = [...version2('203.0.113.6')].map((byte) => Buffer.from([byte]));
    expect(await plainReply(...pieces, request)).toMatch(/^HTTP\/1\.1 308 /);
    await isLogged('203.0.113.6');
  });

  it('may have no header, as health checks and probes', async () => {
    expect(await secureReply(Buffer.alloc(0))).toContain('<h1>Home</h1>');
    expect(await plainReply(request)).toMatch(/^HTTP\/1\.1 308 /);
    await isLogged('127.0.0.1');
  });

  it('are reset when the header is malformed', async () => {
    expect(await plainReply('PROXY TCP4 nonsense\r\n', request)).toBe('');
    await expect(secureReply(Buffer.from('PROXY TCP4 1 2 3 4\r\n'))).rejects.toThrow();
    expect(await fixture.count('edge_connections_refused_total{limit="proxy_header"}')).toBe(2);
  });

  it('are limited by the client’s address, not by the proxy’s', async () => {
    const { http } = fixture.edge.ports();
    const sockets = await Promise.all([1, 2, 3].map(() => open(http)));
    sockets.forEach((socket) => socket.write(version1('203.0.113.99')));
    await waitUntil(() => sockets.filter(({ closed }) => closed).length === 1, { message: 'the third is reset' });
    expect(await plainReply(version1('203.0.113.100'), request)).toMatch(/^HTTP\/1\.1 308 /);
    sockets.forEach((socket) => socket.destroy());
  });
});

describe('connections of other peers', () => {
  beforeAll(() => startEdge({ EDGE_TRUSTED_PROXIES: '192.0.2.0/24' }));
  afterAll(() => fixture.tearDown());

  it.each([
    ['version 1', version1('203.0.113.1')],
    ['version 2', version2('203.0.113.1')],
  ])('are refused when they begin with a header of %s', async (_name, header) => {
    await expect(secureReply(header)).rejects.toThrow();
    expect(await plainReply(header, request)).toMatch(/^(?:HTTP\/1\.1 400 |$)/);
    expect(clients()).not.toContain('203.0.113.1');
  });
});
