import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { duplexPair, type Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import { WebSocket } from 'ws';
import { Tunnel } from '../src/forward/tunnel.js';
import { Http1Exchange, Http1Response } from '../src/http/http1-exchange.js';
import { Connection } from '../src/tls/connection.js';

let server: Server;
/** The tunnel, and the application behind it. */
let opened: Promise<{ readonly tunnel: Tunnel; readonly application: Duplex }>;
let endings: boolean[];

beforeEach(async () => {
  endings = [];
  server = createServer();
  opened = once(server, 'upgrade').then(([request, socket]) =>
    openTunnel(request as IncomingMessage, socket as Socket),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => void server.close());

function openTunnel(request: IncomingMessage, socket: Socket) {
  const response = new Http1Response(request);
  response.assignSocket(socket);
  socket.on('error', () => undefined);
  const exchange = new Http1Exchange(request, response, new Connection(socket));
  const [application, near] = duplexPair();
  const key = `${request.headers['sec-websocket-key'] ?? ''}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const accept = createHash('sha1').update(key).digest('base64');
  const fields = ['sec-websocket-accept', accept];
  const tunnel = new Tunnel({ exchange, application: near, fields, onEnd: (isInOrder) => endings.push(isInOrder) });
  response.once('close', () => tunnel.visitorClosed());
  return { tunnel, application };
}

async function connect() {
  const { port } = server.address() as AddressInfo; // it listens at a port
  const socket = new WebSocket(`ws://127.0.0.1:${port}/`);
  socket.on('error', () => undefined);
  const { tunnel, application } = await opened;
  if (socket.readyState !== WebSocket.OPEN) await once(socket, 'open');
  return { socket, tunnel, application };
}

it('a WebSocket whose place others need is closed with 1013, after the messages that were sent', async () => {
  const { socket, tunnel, application } = await connect();
  const messages: string[] = [];
  socket.on('message', (data: Buffer) => messages.push(data.toString()));
  application.write(Buffer.from([0x81, 2, ...Buffer.from('hi')]));
  await once(socket, 'message');
  tunnel.evict();
  expect((await once(socket, 'close'))[0]).toBe(1013);
  expect(messages).toEqual(['hi']);
  await waitUntil(() => endings.length === 1, { message: 'the tunnel has ended' });
});

it('in the middle of a message it is reset, because no frame can be put in', async () => {
  const { socket, tunnel, application } = await connect();
  const before = tunnel.activeAtMs;
  application.write(Buffer.from([0x81, 5, ...Buffer.from('hel')]));
  await waitUntil(() => tunnel.activeAtMs > before, { message: 'a part of a message has come' });
  tunnel.evict();
  expect((await once(socket, 'close'))[0]).toBe(1006);
  expect(endings).toEqual([false]);
});
