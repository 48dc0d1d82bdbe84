import { createServer, IncomingMessage, ServerResponse, type Server } from 'node:http';
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { normalizeHost } from '../routing/host-name.js';
import type { EdgeMetrics } from '../metrics/edge-metrics.js';
import { connectionOf, tieSession } from '../tls/connection.js';
import type { ConnectionQuota } from '../tls/connection-quota.js';
import type { ConnectionRegistry } from '../tls/connection-registry.js';
import { throttleHandshakes } from '../tls/throttle-handshakes.js';
import {
  HandshakeRefusal,
  serverNameCallback,
  type RefusedHandshake,
  type ServerNameDeps,
} from '../tls/server-name.js';
import type { SecureContexts } from '../tls/secure-contexts.js';
import { guardSession } from '../tls/session-guard.js';
import { tlsOptions } from '../tls/tls-options.js';
import { answerClientError } from './client-error.js';
import { FastPathConnection } from './fast-path/fast-path-connection.js';
import { HANDSHAKE_TIMEOUT_MS, http1Limits, http2Limits, IDLE_TIMEOUT_MS } from './limits.js';
import {
  choosePlain,
  chooseSecure,
  directHandler,
  http1Handler,
  http2Handler,
  type HandlerDeps,
} from './request-handler.js';

export interface ListenerDeps extends HandlerDeps {
  readonly quota: ConnectionQuota;
  /** Begun in a second; 0 for no limit. */
  readonly handshakesPerAddress: number;
  readonly metrics: EdgeMetrics;
}

export interface Listeners {
  readonly plain: Server;
  readonly secure: Http2SecureServer;
}

export function createListeners(deps: ListenerDeps, contexts: SecureContexts, platformDomain: string): Listeners {
  const { connections, metrics, log } = deps;
  const onRefused = (reason: RefusedHandshake) => metrics.handshake(reason);
  const names = { find: deps.edge.find, contexts, connections, platformDomain, onRefused, log };
  return { plain: createPlainListener(deps), secure: createSecureListener(deps, names) };
}

/** The plain listener: HTTP/1.1 for challenges and redirects. */
function createPlainListener(deps: ListenerDeps): Server {
  const server = createServer({ ...http1Limits }, http1Handler(deps, choosePlain));
  server.on('connection', (socket) => deps.connections.addPlain(socket));
  return guard(server, deps);
}

/** The TLS listener: HTTP/1.1 and 2, with a certificate for each name and none for the nameless. */
function createSecureListener(deps: ListenerDeps, names: ServerNameDeps): Http2SecureServer {
  const { metrics } = deps;
  const server = createSecureServer({
    ...http1Limits,
    ...http2Limits,
    ...tlsOptions,
    allowHTTP1: true,
    strictSingleValueFields: false, // of our own headers, which come from objects: none can be there twice
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    SNICallback: serverNameCallback(names),
  });
  takeRequests(server, deps);
  throttleHandshakes(server, deps.handshakesPerAddress, () => metrics.connectionRefused('handshakes'));
  // First in line, so that a connection is known before anything is read from it.
  server.prependListener('connection', (socket: Socket) => deps.connections.addHandshake(socket));
  server.prependListener('secureConnection', (socket: TLSSocket) => admit(socket, deps.connections));
  server.on('secureConnection', () => metrics.handshake('completed'));
  server.on('tlsClientError', (error: Error) => {
    if (!(error instanceof HandshakeRefusal)) metrics.handshake('failed');
  });
  server.on('session', (session) => {
    const connection = tieSession(session);
    if (connection === undefined) session.destroy();
    else guardSession(session, connection, IDLE_TIMEOUT_MS, (reason) => metrics.sessionEnded(reason));
  });
  server.on('sessionError', (error: Error) => deps.log.debug({ err: error }, 'an HTTP/2 session broke off'));
  return guard(server, deps);
}

export async function listen(server: NetServer, host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** The port a listener is bound to; undefined while it is not. */
export function portOf(server: NetServer): number | undefined {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : undefined;
}

/**
 * Streams of HTTP/2 are taken as they are. A listener for `request` makes Node turn each of them into a request as well, so
 * its listener for them has to go: otherwise each would be taken twice.
 */
function takeRequests(server: Http2SecureServer, deps: ListenerDeps): void {
  const handleHttp1 = http1Handler(deps, chooseSecure);
  const isHttp1 = (response: unknown): response is ServerResponse => response instanceof ServerResponse;
  server.on('request', (request: unknown, response: unknown) => {
    if (request instanceof IncomingMessage && isHttp1(response)) handleHttp1(request, response);
  });
  server.removeAllListeners('stream');
  server.on('stream', http2Handler(deps, chooseSecure));
  takeSimpleRequests(server, deps);
}

/** Puts `DirectConnection` before what Node does with a connection of HTTP/1.1. */
function takeSimpleRequests(server: Http2SecureServer, deps: ListenerDeps): void {
  const [beginHttp] = server.listeners('secureConnection');
  if (beginHttp === undefined) throw new Error('nobody would take requests');
  server.removeAllListeners('secureConnection');
  const handOver = (socket: TLSSocket) => void Reflect.apply(beginHttp, server, [socket]);
  const answer = directHandler(deps, chooseSecure);
  const onError = (error: Error, socket: TLSSocket) => void server.emit('clientError', error, socket);
  server.on('secureConnection', (socket: TLSSocket) => {
    const connection = connectionOf(socket);
    if (socket.alpnProtocol === 'h2' || connection === undefined) handOver(socket);
    else new FastPathConnection(socket, connection, { answer, handOver, onError });
  });
}

function admit(socket: TLSSocket, connections: ConnectionRegistry): void {
  const name: unknown = Reflect.get(socket, 'servername');
  socket.disableRenegotiation(); // a handshake costs the server more than the client, and is asked for once
  connections.addSecure(socket, typeof name === 'string' ? normalizeHost(name) : undefined);
}

function guard<Listener extends Server | Http2SecureServer>(server: Listener, deps: ListenerDeps): Listener {
  const { log, quota, metrics } = deps;
  server.prependListener('connection', (socket: Socket) => {
    const refusal = quota.take(socket);
    if (refusal === undefined) return;
    metrics.connectionRefused(refusal);
    // After the others have heard of the connection, who cannot do with one that is gone already.
    process.nextTick(() => socket.resetAndDestroy());
  });
  server.setTimeout(IDLE_TIMEOUT_MS);
  server.on('clientError', (error: Error, socket: Duplex) => {
    log.debug({ err: error }, 'a client broke the protocol');
    metrics.protocolError();
    answerClientError(error, socket);
  });
  const onBroken = (error: Error) => log.debug({ err: error }, 'a connection broke off');
  server.on('connection', (socket: Socket) => socket.on('error', onBroken));
  server.on('error', (error: Error) => log.error({ err: error }, 'a listener failed'));
  return server;
}
