import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { WebSocket, WebSocketServer, type ClientOptions, type RawData } from 'ws';
import type { EdgeFixture } from './edge-fixture.js';
import { buildForwardingFixture, serveApplication } from './forwarding-fixture.js';

/** A visitor and an application with a complete implementation of WebSockets each, and the edge between them. */

const ECHO = 'echo.pets.test';
/** Ends after a second of silence. */
const SILENT = 'silent.pets.test';

let fixture: EdgeFixture;
const server = createServer();
const requests: IncomingMessage[] = [];
const echo = new WebSocketServer({
  server,
  perMessageDeflate: { threshold: 0 },
  maxPayload: 32 * 1024 * 1024,
  handleProtocols: (offered) => (offered.has('second') ? 'second' : false),
});
const atOrigin: WebSocket[] = [];

beforeAll(async () => {
  fixture = await buildForwardingFixture();
  echo.on('connection', (socket, request) => {
    requests.push(request);
    atOrigin.push(socket);
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  });
  echo.on('headers', (headers, request) => {
    if (request.url === '/large-head') headers.push(`X-Large: ${'y'.repeat(60_000)}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens at a port
  const url = `http://127.0.0.1:${port}`;
  await serveApplication(fixture, ECHO, url, { timeouts: { connect: 2, answer: 2, idle: 60 } });
  await serveApplication(fixture, SILENT, url, { timeouts: { connect: 2, answer: 2, idle: 1 } });
});
afterAll(async () => {
  for (const socket of atOrigin) socket.terminate();
  echo.close();
  server.close();
  await fixture.tearDown();
});

function connect(path = '/', protocols: string[] = [], more: ClientOptions = {}): WebSocket {
  const { host = ECHO } = more.headers ?? {};
  const options: ClientOptions & { readonly servername: string; readonly maxHeaderSize: number } = {
    ...{ servername: host, headers: { host }, rejectUnauthorized: false, maxPayload: 32 * 1024 * 1024 },
    maxHeaderSize: 128 * 1024,
    ...more,
  };
  return new WebSocket(`wss://127.0.0.1:${fixture.edge.ports().https}${path}`, protocols, options);
}

async function opened(...args: Parameters<typeof connect>): Promise<[visitor: WebSocket, application: WebSocket]> {
  const visitor = connect(...args);
  await once(visitor, 'open');
  const application = atOrigin.at(-1);
  if (application === undefined) throw new Error('the application has no connection');
  return [visitor, application];
}

async function next(socket: WebSocket): Promise<Buffer> {
  const [data] = (await once(socket, 'message')) as [RawData];
  if (!Buffer.isBuffer(data)) throw new Error('ws gives another type only on request');
  return data;
}

function echoed(socket: WebSocket, message: Buffer | string): Promise<Buffer> {
  const answered = next(socket);
  socket.send(message);
  return answered;
}

it('they agree on compression and on a subprotocol', async () => {
  const [visitor] = await opened('/', ['first', 'second'], { perMessageDeflate: { threshold: 0 } });
  expect([visitor.extensions, visitor.protocol]).toEqual(['permessage-deflate', 'second']);
  for (const message of ['x'.repeat(100_000), randomBytes(100_000), '', 'é𝒳'])
    expect((await echoed(visitor, message)).equals(Buffer.from(message))).toBe(true);
  visitor.close();
});

it('they agree on none of them', async () => {
  const [visitor] = await opened('/', [], { perMessageDeflate: false });
  expect([visitor.extensions, visitor.protocol]).toEqual(['', '']);
  visitor.close();
});

it.each([true, false])(
  'exchange messages of 16 MB, compressed: %s',
  async (perMessageDeflate) => {
    const [visitor] = await opened('/', [], { perMessageDeflate });
    const message = randomBytes(16 * 1024 * 1024);
    expect((await echoed(visitor, message)).equals(message)).toBe(true);
    visitor.close();
  },
  60_000,
);

it('they exchange a message in 1 000 fragments with pings between them', async () => {
  const [visitor] = await opened();
  const answered = next(visitor);
  let pongs = 0;
  visitor.on('pong', () => (pongs += 1));
  for (let count = 0; count < 1_000; count++) {
    visitor.send('y'.repeat(100), { fin: count === 999 });
    if (count % 100 === 0) visitor.ping();
  }
  expect((await answered).toString()).toBe('y'.repeat(100_000));
  await waitUntil(() => pongs === 10, { message: 'each ping is answered' });
  visitor.close();
});

it.each([1000, 1001, 1008, 1011, 3000, 4999])('they close with a code, whoever begins: %s', async (code) => {
  const [visitor, application] = await opened();
  const [atVisitor, atApplication] = [once(visitor, 'close'), once(application, 'close')];
  visitor.close(code, 'why');
  expect((await atApplication).map(String)).toEqual([String(code), 'why']);
  expect((await atVisitor)[0]).toBe(code);
  const [second, other] = await opened();
  const closed = once(second, 'close');
  other.close(code, 'why');
  expect((await closed).map(String)).toEqual([String(code), 'why']);
});

it('they stay connected beyond the limit of silence while pings go in one direction only', async () => {
  for (const isOfVisitor of [true, false]) {
    const [visitor, application] = await opened('/', [], { headers: { host: SILENT } });
    const [from, to] = isOfVisitor ? [visitor, application] : [application, visitor];
    let pings = 0;
    to.on('ping', () => (pings += 1));
    const timer = setInterval(() => from.ping(), 100);
    await waitUntil(() => pings >= 25, { message: 'pings for longer than the limit', timeoutMs: 10_000 });
    expect([visitor.readyState, application.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN]);
    clearInterval(timer);
    await once(visitor, 'close'); // without pings
  }
}, 30_000);

it('they may have an answer with a head of 60 KB, and a request with one of 15 KB', async () => {
  const [visitor] = await opened('/large-head', [], { headers: { host: ECHO, 'x-large': 'x'.repeat(15_000) } });
  expect(requests.at(-1)?.headers['x-large']).toHaveLength(15_000);
  expect((await echoed(visitor, 'still')).toString()).toBe('still');
  visitor.close();
});

it('they get 431 for a request with a head of 64 KB', async () => {
  const visitor = connect('/', [], { headers: { host: ECHO, 'x-large': 'x'.repeat(64_000) } });
  const [, response] = (await once(visitor, 'unexpected-response')) as [unknown, IncomingMessage];
  expect(response.statusCode).toBe(431);
  visitor.on('error', () => undefined).terminate();
});
