import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach } from '@jest/globals';
import { originRow, PLATFORM_CERTIFICATE, type EdgeOrigin, type EdgeRoute } from '@pets/contracts/edge-feed';
import { EdgeFixture } from './edge-fixture.js';

/** An application of a customer: a real server, whose answer a test chooses. */
export class TestOrigin {
  readonly sockets = new Set<Socket>();
  readonly requests: IncomingMessage[] = [];
  readonly upgrades: Duplex[] = [];
  readonly #server: Server | TcpServer;

  private constructor(server: Server | TcpServer) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => this.sockets.delete(socket));
    });
  }

  /** Speaks HTTP. */
  static async http(
    answer: RequestListener,
    tls?: { readonly cert: string; readonly key: string },
  ): Promise<TestOrigin> {
    const server = tls === undefined ? createServer() : createSecureServer(tls);
    const origin = new TestOrigin(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      origin.requests.push(request);
      answer(request, response);
    });
    server.on('upgrade', (_request, socket: Duplex) => origin.upgrades.push(socket));
    return origin.#listen();
  }

  /** Speaks whatever the test writes. */
  static async raw(onConnection: (socket: Socket) => void): Promise<TestOrigin> {
    const server = createTcpServer(onConnection);
    return new TestOrigin(server).#listen();
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // it listens at a port
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }
}

/** A list for the applications of a test file: they are closed after the test that adds them. */
export function endingOrigins(): TestOrigin[] {
  const ending: TestOrigin[] = [];
  afterEach(async () => {
    for (const origin of ending.splice(0)) await origin.close();
  });
  return ending;
}

const seconds = { connect: 2, answer: 3, idle: 3 };

export function originRoute(url: string, more: Partial<EdgeOrigin> = {}): EdgeRoute {
  const serve: EdgeOrigin = {
    kind: 'origin',
    organizationId: 'organization-1',
    projectId: 'project-1',
    url,
    timeouts: seconds,
    maxConnections: 20,
    test: 0,
    ...more,
  };
  return { answersChallenges: false, serve, certificateId: null };
}

export function applicationRoute(
  origin: string,
  more: Partial<Extract<EdgeRoute['serve'], { kind: 'application' }>> = {},
): EdgeRoute {
  return {
    answersChallenges: true,
    serve: { kind: 'application', origin, ...more },
    certificateId: PLATFORM_CERTIFICATE,
  };
}

/** An edge that forwards to applications on this machine. */
export async function buildForwardingFixture(settings: Record<string, string> = {}): Promise<EdgeFixture> {
  const fixture = await EdgeFixture.build();
  await startForwardingEdge(fixture, settings);
  return fixture;
}

export function startForwardingEdge(fixture: EdgeFixture, settings: Record<string, string> = {}): Promise<void> {
  return fixture.startEdge({
    EDGE_ALLOW_PRIVATE_ORIGINS: 'true',
    EDGE_HANDSHAKES_PER_ADDRESS: '0',
    EDGE_MAX_CONNECTIONS_PER_ADDRESS: '0',
    EDGE_ORIGIN_CA: fixture.env['PLATFORM_CERTIFICATE'] ?? '',
    ...settings,
  });
}

/** Publishes an application at a host below the platform domain. */
export function serveApplication(
  fixture: EdgeFixture,
  host: string,
  url: string,
  more: Partial<EdgeOrigin> = {},
): Promise<void> {
  return fixture.api.publishAndSettle({
    [originRow(`of-${host}`)]: originRoute(url, more),
    [host]: applicationRoute(`of-${host}`),
  });
}

/** The body of a request or an answer. */
export async function read(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
