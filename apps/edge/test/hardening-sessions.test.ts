import { once } from 'node:events';
import { connect, createServer, type ClientHttp2Session, type Http2Server } from 'node:http2';
import { connect as connectTcp, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@pets/testing';
import type { SessionEnding } from '../src/metrics/edge-metrics.js';
import { bindSession, Connection } from '../src/tls/connection.js';
import { guardSession } from '../src/http/listeners.js';
import { frame, frameType, opening } from './raw-http2.js';

/** The guard with a shorter idle time than the edge's, on a server that answers when the test says so. */
const IDLE_MS = 150;
const endings: SessionEnding[] = [];
let server: Http2Server;
let answer: () => void = () => undefined;

beforeAll(async () => {
  server = createServer((_request, response) => {
    answer = () => response.end('late');
  });
  server.prependListener('connection', (socket: Socket) => new Connection(socket));
  server.on('session', (session) => {
    const connection = bindSession(session);
    if (connection === undefined) throw new Error('a session without a connection');
    session.on('stream', (stream) => {
      connection.requestStarted();
      stream.once('close', () => connection.requestEnded(performance.now()));
    });
    guardSession(session, connection, IDLE_MS, (reason) => endings.push(reason));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => void endings.splice(0));
afterAll(() => void server.close());

async function open(): Promise<ClientHttp2Session> {
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a path
  const session = connect(`http://127.0.0.1:${port}`).on('error', () => undefined);
  await once(session, 'connect');
  return session;
}

describe('an HTTP/2 session without a request in progress', () => {
  it('is ended although the client continues to send frames', async () => {
    const session = await open();
    const ping = () => session.destroyed || session.ping(() => undefined);
    const pings = setInterval(ping, 20);
    await once(session, 'close', { signal: AbortSignal.timeout(30_000) });
    clearInterval(pings);
    expect(endings).toEqual(['idle']);
  });

  it('is not ended during a response, but after it', async () => {
    const session = await open();
    const stream = session.request({ ':path': '/' }).resume();
    const closed = once(stream, 'close');
    const beganAtMs = performance.now();
    await waitUntil(() => performance.now() - beganAtMs > 3 * IDLE_MS, { message: 'it was idle for long enough' });
    expect(session.closed).toBe(false);
    expect(endings).toEqual([]);
    answer();
    await closed;
    await once(session, 'close', { signal: AbortSignal.timeout(30_000) });
    expect(endings).toEqual(['idle']);
  });
});

describe('a client that keeps its connection open after its session', () => {
  it.each([
    ['which it ended itself', frame(frameType.goaway, 0, 0, Buffer.alloc(8))],
    ['which was idle', Buffer.alloc(0)],
  ])(
    '%s, is disconnected',
    async (_name, last) => {
      const { port } = server.address() as AddressInfo;
      const socket = connectTcp({ port, host: '127.0.0.1', allowHalfOpen: true }).on('error', () => undefined);
      const [accepted] = (await once(server, 'connection')) as [Socket];
      socket.write(Buffer.concat([opening, frame(frameType.settings, 1, 0), last]));
      await once(socket.resume(), 'end');
      await waitUntil(() => accepted.destroyed, { message: 'the connection is closed', timeoutMs: 10_000 });
      socket.destroy();
    },
    20_000,
  );
});
