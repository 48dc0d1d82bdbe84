import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { ReplicasFixture } from './replicas-fixture.js';

/** The body of an answer to a request without a body. */
export const GREETING = 'the application';

const WRITE_INTERVAL_MS = 10;
const PIECE = Buffer.alloc(100, 'x');

/** An application of a customer: it greets, and streams both ways with those who POST. */
export class Application {
  /** Streams that have brought something. */
  streams = 0;
  #server: Server | null = null;
  #port = 0;
  #bytesOfClosed = 0;
  readonly #sockets = new Set<Socket>();

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** All that it has received, with the heads of requests. */
  get receivedBytes(): number {
    return this.#bytesOfClosed + [...this.#sockets].reduce((sum, { bytesRead }) => sum + bytesRead, 0);
  }

  /** Accepts connections, at the same port as before. */
  async start(): Promise<void> {
    const server = createServer((incoming, response) => {
      if (incoming.method === 'POST') this.#stream(incoming, response);
      else response.end(GREETING);
    });
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        this.#bytesOfClosed += socket.bytesRead;
      });
    });
    server.listen(this.#port, '127.0.0.1');
    await once(server, 'listening');
    this.#port = (server.address() as AddressInfo).port; // listening on TCP: never a pipe's path
    this.#server = server;
  }

  /** Refuses connections, and resets those that are open. */
  async stop(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    server.close();
    await once(server, 'close');
  }

  #stream(incoming: IncomingMessage, response: ServerResponse): void {
    response.writeHead(200);
    incoming.once('data', () => (this.streams += 1)).on('data', () => undefined);
    incoming.on('error', () => undefined);
    const timer = setInterval(() => void response.write(PIECE), WRITE_INTERVAL_MS);
    incoming.on('close', () => clearInterval(timer));
  }
}

/** A visitor who streams both ways with the application behind a host, through one edge, until somebody ends it. */
export class StreamingVisitor {
  bytes = 0;
  readonly #leave: () => void;

  constructor({ ca }: Pick<ReplicasFixture, 'ca'>, host: string, port: number) {
    const tls = { host: '127.0.0.1', port, servername: host, ca: ca.authority.rootCertificatePem } as const;
    const posting = request({ ...tls, method: 'POST', headers: { host }, agent: false });
    posting.on('error', () => undefined);
    posting.on('response', (response) => {
      response.on('data', (chunk: Buffer) => (this.bytes += chunk.length)).on('error', () => undefined);
    });
    const timer = setInterval(() => void posting.write(PIECE), WRITE_INTERVAL_MS);
    this.#leave = () => {
      clearInterval(timer);
      posting.destroy();
    };
  }

  leave(): void {
    this.#leave();
  }
}
