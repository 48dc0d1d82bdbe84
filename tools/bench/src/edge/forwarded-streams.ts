import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import { connect as connectHttp2 } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { putApplication, removeSite, type Site, type Stack } from '@pets/lab';
import { waitUntil } from '@pets/testing/processes';
import { tlsOptionsOf, untilForwarded, type VisitedPlace } from './ask.js';

/** A removal in the middle of streams. */
export interface StreamedRemoval {
  /** The status of the answer to the DELETE. */
  readonly status: number;
  /** Bytes that visitors have received since that answer. */
  readonly visitorBytes: number;
  /** The same of the application, heads of requests included. */
  readonly originBytes: number;
}

const BUSY_LIMIT_MS = 30_000;
/** How long both sides continue to send after the removal. */
const REFUSED_MS = 1_000;
const WRITE_INTERVAL_MS = 5;
const PIECE = Buffer.alloc(100, 'x');
/** A complete message of a WebSocket, unmasked (RFC 6455 §5.2): nothing between the sides looks into it. */
const FRAME = Buffer.concat([Buffer.from([0x82, PIECE.length]), PIECE]);
const UPGRADE =
  'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==';

/**
 * Puts an application behind a site, streams to it and from it through every edge, over HTTP/1.1, HTTP/2 and a WebSocket, and
 * removes the site. Both sides are in this process and count what they receive, so that one moment divides what came before the
 * answer from what came after.
 */
export async function removeUnderStreams(stack: Stack, site: Site, rootPem: string): Promise<StreamedRemoval> {
  const application = new Application(site.body);
  const visitors: StreamVisitor[] = [];
  try {
    await application.listen();
    await putApplication(stack, site, { url: application.url });
    for (const { httpsPort: port } of stack.edges) {
      const place = { host: site.host, port, rootPem };
      await untilForwarded(place, site.body);
      for (const open of [overHttp1, overHttp2, overWebSocket]) visitors.push(new StreamVisitor(open, place));
    }
    const isBusy = () => visitors.every(({ bytes }) => bytes > 0) && application.streams >= visitors.length;
    await waitUntil(isBusy, { timeoutMs: BUSY_LIMIT_MS, message: 'every stream to go both ways' });
    const count = () => ({
      visitorBytes: visitors.reduce((sum, { bytes }) => sum + bytes, 0),
      originBytes: application.receivedBytes,
    });
    const status = await removeSite(stack, site);
    // Bytes that arrived before the response are read in this tick or the next.
    await nextTick();
    await nextTick();
    const before = count();
    await sleep(REFUSED_MS);
    const after = count();
    return {
      status,
      visitorBytes: after.visitorBytes - before.visitorBytes,
      originBytes: after.originBytes - before.originBytes,
    };
  } finally {
    for (const visitor of visitors) visitor.leave();
    await application.close();
  }
}

class Application {
  /** Streams that have sent something after their heads. */
  streams = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #bytesOfClosed = 0;

  constructor(answer: string) {
    this.#server = createServer((incoming, response) => {
      if (incoming.method === 'POST') this.#stream(incoming, response);
      else response.end(answer);
    });
    this.#server.on('upgrade', (_request, socket: Socket) => {
      socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
      this.#follow(socket, () => socket.write(FRAME));
    });
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        this.#bytesOfClosed += socket.bytesRead;
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // it listens at a port
  }

  get receivedBytes(): number {
    return this.#bytesOfClosed + [...this.#sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #stream(incoming: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200);
    this.#follow(incoming, () => response.write(PIECE));
  }

  #follow(source: IncomingMessage | Socket, write: () => void): void {
    source.once('data', () => (this.streams += 1)).on('data', () => undefined);
    source.on('error', () => undefined);
    const timer = setInterval(write, WRITE_INTERVAL_MS);
    source.on('close', () => clearInterval(timer));
  }
}

interface Stream {
  write(): void;
  leave(): void;
}

type Open = (place: VisitedPlace, onBytes: (chunk: Buffer) => void) => Stream;

class StreamVisitor {
  bytes = 0;
  readonly #stream: Stream;
  readonly #timer: NodeJS.Timeout;

  constructor(open: Open, place: VisitedPlace) {
    this.#stream = open(place, (chunk) => (this.bytes += chunk.length));
    this.#timer = setInterval(() => this.#stream.write(), WRITE_INTERVAL_MS);
  }

  leave(): void {
    clearInterval(this.#timer);
    this.#stream.leave();
  }
}

const overHttp1: Open = (place, onBytes) => {
  const posting = request({ ...tlsOptionsOf(place), method: 'POST', headers: { host: place.host }, agent: false });
  posting.on('error', () => undefined);
  posting.on('response', (response) => response.on('data', onBytes).on('error', () => undefined));
  return { write: () => void posting.write(PIECE), leave: () => void posting.destroy() };
};

const overHttp2: Open = (place, onBytes) => {
  const { port, ...options } = tlsOptionsOf(place);
  const session = connectHttp2(`https://127.0.0.1:${port}`, options);
  session.on('error', () => undefined);
  const stream = session.request({ ':method': 'POST', ':authority': place.host });
  stream.on('error', () => undefined).on('data', onBytes);
  return { write: () => void stream.write(PIECE), leave: () => session.destroy() };
};

const overWebSocket: Open = (place, onBytes) => {
  const socket = connectTls(tlsOptionsOf(place));
  socket.on('error', () => undefined).on('data', onBytes);
  socket.write(`GET / HTTP/1.1\r\nHost: ${place.host}\r\n${UPGRADE}\r\n\r\n`);
  return { write: () => void socket.write(FRAME), leave: () => socket.destroy() };
};
