import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { WebSocket, WebSocketServer, type ClientOptions, type RawData } from 'ws';
import { siteRoute, type EdgeFixture } from './edge-fixture.js';
import { buildForwardingFixture, serveApplication, TestOrigin } from './forwarding-fixture.js';
import { exchangeRaw } from './visitor.js';

const HOST = 'app.pets.test';

let fixture: EdgeFixture;
const server = createServer((_request, response) => response.writeHead(426).end('use a WebSocket'));
const echo = new WebSocketServer({ server });
const atOrigin: WebSocket[] = [];

beforeAll(async () => {
  fixture = await buildForwardingFixture();
  echo.on('connection', (socket, request) => {
    atOrigin.push(socket);
    if (request.url === '/echo') socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens at a port
  await serveApplication(fixture, HOST, `http://127.0.0.1:${port}`, {
    timeouts: { connect: 2, answer: 2, idle: 60 },
  });
});
afterAll(async () => {
  echo.close();
  server.closeAllConnections();
  server.close();
  await fixture.tearDown();
});

async function open(path = '/echo', host = HOST): Promise<WebSocket> {
  const socket = connect(path, host);
  await once(socket, 'open');
  return socket;
}

function connect(path: string, host: string): WebSocket {
  const options: ClientOptions & { readonly servername: string } = {
    servername: host,
    headers: { host },
    rejectUnauthorized: false,
  };
  return new WebSocket(`wss://127.0.0.1:${fixture.edge.ports().https}${path}`, options);
}

async function next(socket: WebSocket): Promise<string> {
  const [data] = (await once(socket, 'message')) as [RawData];
  return Buffer.isBuffer(data) ? data.toString() : '';
}

describe('a WebSocket', () => {
  it('carries messages of all sizes in both directions, and closes with its code', async () => {
    const socket = await open();
    for (const text of ['hello', 'x'.repeat(3_000_000), '']) {
      const answered = next(socket);
      socket.send(text);
      expect(await answered).toBe(text);
    }
    const closed = once(socket, 'close');
    socket.close(4001, 'done');
    expect((await closed)[0]).toBe(4001);
    await waitUntil(async () => (await fixture.count('edge_web_sockets')) === 0, { message: 'it has ended' });
    await waitUntil(() => fixture.accessLines.some((line) => line.includes('"status":101')), {
      message: 'it is logged',
    });
    const line = fixture.accessLines.find((text) => text.includes('"status":101'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ path: '/echo', status: 101 });
    expect(line).not.toContain('brokenOff');
  });

  it('ends on both sides when its host is removed, and neither gets another byte', async () => {
    const host = 'gone.pets.test';
    const { port } = server.address() as AddressInfo; // it listens at a port
    await serveApplication(fixture, host, `http://127.0.0.1:${port}`);
    const [socket, before] = [await open('/', host), atOrigin.length];
    const application = atOrigin[before - 1];
    const received: unknown[] = [];
    socket.on('error', () => undefined).on('message', () => received.push('visitor'));
    application?.on('error', () => undefined).on('message', () => received.push('application'));
    const [up, down] = [setInterval(() => socket.send('up'), 2), setInterval(() => application?.send('down'), 2)];
    await waitUntil(() => received.includes('visitor') && received.includes('application'), { message: 'both talk' });
    await fixture.api.publishAndSettle({ [host]: null });
    const count = received.length;
    await waitUntil(() => application?.readyState === WebSocket.CLOSED, { message: 'the application has none' });
    await waitUntil(() => socket.readyState === WebSocket.CLOSED, { message: 'the visitor has none' });
    clearInterval(up);
    clearInterval(down);
    expect(received).toHaveLength(count);
  });

  it('does not take one of the connections of its origin', async () => {
    const { port } = server.address() as AddressInfo; // it listens at a port
    await serveApplication(fixture, 'one.pets.test', `http://127.0.0.1:${port}`, { maxConnections: 1 });
    const sockets = [await open('/echo', 'one.pets.test'), await open('/echo', 'one.pets.test')];
    expect((await fixture.visitor.secure('one.pets.test')).status).toBe(426);
    for (const socket of sockets) socket.terminate();
  });

  it('is refused by an application as any other request', async () => {
    const refusing = await TestOrigin.raw((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno'));
    });
    await serveApplication(fixture, 'refused.pets.test', refusing.url);
    const socket = connect('/', 'refused.pets.test');
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toContain('403');
    await refusing.close();
  });

  it('ends when nothing is sent for the time of its origin', async () => {
    const { port } = server.address() as AddressInfo; // it listens at a port
    await serveApplication(fixture, 'idle.pets.test', `http://127.0.0.1:${port}`, {
      timeouts: { connect: 1, answer: 1, idle: 1 },
    });
    const socket = await open('/', 'idle.pets.test');
    socket.on('error', () => undefined);
    await once(socket, 'close');
  });
});

describe('another upgrade', () => {
  const upgrade = (lines: string, host = HOST) =>
    `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade, close\r\n${lines}\r\n\r\n`;
  const key = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';

  it.each([
    ['h2c', 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA'],
    ['another version', `Upgrade: websocket\r\nSec-WebSocket-Version: 12\r\n${key}`],
    ['several protocols', `Upgrade: websocket, h2c\r\nSec-WebSocket-Version: 13\r\n${key}`],
  ])('is dropped: %s', async (_name, lines) => {
    const socket = await fixture.visitor.handshake(HOST);
    expect(await exchangeRaw(socket, upgrade(lines))).toMatch(/^HTTP\/1\.1 426 .*use a WebSocket/s);
  });

  it('at a host that serves files is ignored', async () => {
    await fixture.issue('certificate-1', 'site.test');
    await fixture.api.publishAndSettle({ 'site.test': siteRoute('certificate-1') });
    const socket = await fixture.visitor.handshake('site.test');
    const lines = `Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n${key}`;
    expect(await exchangeRaw(socket, upgrade(lines, 'site.test'))).toMatch(/^HTTP\/1\.1 200 /);
  });
});
