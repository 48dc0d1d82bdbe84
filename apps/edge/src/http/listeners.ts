import type { Server } from 'node:http';
import { constants, createSecureServer, type Http2SecureServer, type ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { http, type Networks } from '@pets/platform';
import type { EdgeMetrics, SessionEnding } from '../metrics/edge-metrics.js';
import { normalizeHost } from '../store/host-name.js';
import { acceptProxied } from '../tls/accept-proxied.js';
import type { ConnectionQuota } from '../tls/connection-quota.js';
import type { FindRoute } from '../tls/connection-registry.js';
import { bindSession, resetSocket, type Connection } from '../tls/connection.js';
import { tlsOptions, type SecureContexts } from '../tls/secure-contexts.js';
import {
  HandshakeRefusal,
  serverNameCallback,
  type RefusedHandshake,
  type ServedPlatform,
} from '../tls/server-name.js';
import { HANDSHAKE_TIMEOUT_MS, throttleHandshakes } from '../tls/throttle-handshakes.js';
import { Http1Response } from './http1-exchange.js';
import { http1Limits, http2Limits, IDLE_TIMEOUT_MS, REQUEST_TIMEOUT_MS } from './limits.js';
import { handleRequests } from './node-http-internals.js';
import { answerClientError } from './pages.js';
import { choosePlain, chooseSecure, mayUpgrade, RequestHandler, type RequestHandlerDeps } from './request-handler.js';

export interface ListenerDeps extends RequestHandlerDeps {
  readonly contexts: SecureContexts;
  readonly findStored: FindRoute;
  readonly platform: ServedPlatform;
  /** A handshake of a row whose DNS still pointed elsewhere. */
  readonly onPrepared: (row: string) => void;
  readonly quota: ConnectionQuota;
  /** Handshakes of one address that start per second; 0 for no limit. */
  readonly handshakesPerAddress: number;
  /** Load balancers that send a PROXY protocol header. */
  readonly trustedProxies: Networks;
  readonly metrics: EdgeMetrics;
}

/** The plain listener: HTTP/1 for challenges and redirects. */
export function createPlainListener(deps: ListenerDeps): Server {
  const server = http.createServer(
    { ...http1Limits, requestTimeout: REQUEST_TIMEOUT_MS, ServerResponse: Http1Response },
    new RequestHandler(deps, choosePlain).http1,
  );
  server.on('connection', (socket) => deps.connections.addPlain(socket));
  limitConnections(server, deps);
  handleErrors(server, deps);
  acceptProxies(server, deps);
  return server;
}

/** The TLS listener: HTTP/1 and HTTP/2, with a certificate for each name and none for an unknown one. */
export function createSecureListener(deps: ListenerDeps): Http2SecureServer {
  const { findStored: find, contexts, connections, platform, onPrepared, metrics, log } = deps;
  const onRefused = (reason: RefusedHandshake) => metrics.handshake(reason);
  const server = createSecureServer({
    ...http1Limits,
    ...http2Limits,
    ...tlsOptions,
    allowHTTP1: true,
    http1Options: { ServerResponse: Http1Response },
    strictSingleValueFields: false, // only for our own response headers, which come from objects: none can occur twice
    handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
    SNICallback: serverNameCallback({ find, contexts, connections, platform, onRefused, onPrepared, log }),
  });
  handleRequests(server, new RequestHandler(deps, chooseSecure), (request) => mayUpgrade(request, deps.edge.find));
  throttleHandshakes(server, deps.handshakesPerAddress, () => metrics.connectionRefused('handshakes'));
  registerConnections(server, deps);
  guardSessions(server, deps);
  limitConnections(server, deps);
  handleErrors(server, deps);
  server.on('secureConnection', () => metrics.handshake('completed'));
  server.on('tlsClientError', (error: Error) => {
    if (!(error instanceof HandshakeRefusal)) metrics.handshake('failed');
  });
  acceptProxies(server, deps);
  return server;
}

/** Registers each connection before anything is read from it. */
function registerConnections(server: Http2SecureServer, { connections }: ListenerDeps): void {
  server.prependListener('connection', (socket: Socket) => connections.addHandshake(socket));
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    const name: unknown = (socket as { readonly servername?: unknown }).servername; // documented, but missing in the types
    socket.disableRenegotiation(); // a handshake costs the server more than the client, so there is only one
    connections.addSecure(socket, typeof name === 'string' ? normalizeHost(name) : undefined);
  });
}

function guardSessions(server: Http2SecureServer, { metrics, log }: ListenerDeps): void {
  server.on('session', (session) => {
    const connection = bindSession(session);
    if (connection === undefined) session.destroy();
    else guardSession(session, connection, IDLE_TIMEOUT_MS, (reason) => metrics.sessionEnded(reason));
  });
  server.on('sessionError', (error: Error) => log.debug({ err: error }, 'HTTP/2 session failed'));
}

function limitConnections(server: Server | Http2SecureServer, { quota, metrics }: ListenerDeps): void {
  server.prependListener('connection', (socket: Socket) => {
    const refusal = quota.admit(socket);
    if (refusal === undefined) return;
    metrics.connectionRefused(refusal);
    // After the other listeners, which do not expect a destroyed socket.
    process.nextTick(() => resetSocket(socket));
  });
}

/** Last, because every other listener must see the client's address. */
function acceptProxies(server: Server | Http2SecureServer, { trustedProxies, metrics }: ListenerDeps): void {
  acceptProxied(server, trustedProxies, () => metrics.connectionRefused('proxy_header'));
}

function handleErrors(server: Server | Http2SecureServer, { log, metrics }: ListenerDeps): void {
  server.on('clientError', (error: Error, socket: Duplex) => {
    log.debug({ err: error }, 'client violated the protocol');
    metrics.protocolError();
    answerClientError(error, socket);
  });
  const onSocketError = (error: Error) => log.debug({ err: error }, 'connection failed');
  server.on('connection', (socket: Socket) => socket.on('error', onSocketError));
  server.on('error', (error: Error) => log.error({ err: error }, 'listener failed'));
}

/** Frames of one kind that a session may send within the window. Browsers send a PING every few seconds, SETTINGS once. */
const MAX_FRAMES = 100;
const WINDOW_MS = 10_000;
/** How long a client may take to close its connection after the end of its session. */
const CLOSE_LIMIT_MS = 5_000;

/**
 * Ends HTTP/2 sessions that use resources without requests. nghttp2 already ends those that reset many streams
 * (`streamResetBurst`) or send endless headers (its limit of CONTINUATION frames). It answers every PING and SETTINGS,
 * though, lets a client that sends a header byte by byte stay open for hours, and keeps data that a client does not read.
 */
export function guardSession(
  session: ServerHttp2Session,
  connection: Connection,
  idleMs: number,
  onEnding: (reason: SessionEnding) => void,
): void {
  let closeLimit: NodeJS.Timeout | undefined;
  const end = (reason: SessionEnding) => {
    closeLimit ??= setTimeout(() => connection.reset(), CLOSE_LIMIT_MS);
    if (session.destroyed) return; // after GOAWAY of the client, for example, which then has to close the connection
    onEnding(reason);
    const code = reason.endsWith('_flood') ? constants.NGHTTP2_ENHANCE_YOUR_CALM : constants.NGHTTP2_NO_ERROR;
    session.goaway(code);
    session.destroy(undefined, code);
  };
  const onPing = limitRate(() => end('ping_flood'));
  const onSettings = limitRate(() => end('settings_flood'));
  session.on('ping', onPing);
  session.on('remoteSettings', onSettings);
  session.setTimeout(0); // `endWhenIdle` replaces Node's timer
  const stopWatching = endWhenIdle(connection, idleMs, () => end('idle'));
  session.once('close', () => {
    stopWatching();
    clearTimeout(closeLimit);
  });
  connection.beforeStalledEnd(() => end('stalled'));
}

/** Counts calls in time windows; `onExceeded` runs at each call over the limit. */
function limitRate(onExceeded: () => void): () => void {
  let windowStartMs = performance.now();
  let count = 0;
  return () => {
    const now = performance.now();
    if (now - windowStartMs >= WINDOW_MS) {
      windowStartMs = now;
      count = 0;
    }
    count += 1;
    if (count > MAX_FRAMES) onExceeded();
  };
}

/**
 * Calls `onIdle` once when no request of a connection was in progress for `idleMs`, whatever else the client sends. It
 * checks from time to time, because a timer that every frame resets, as Node's are, adds cost to every request.
 * `sending/pending-writes.ts` watches responses that a client does not read.
 * @returns stops watching
 */
function endWhenIdle(connection: Connection, idleMs: number, onIdle: () => void): () => void {
  const check = () => {
    const idleForMs = connection.idleMs(performance.now());
    if (idleForMs >= idleMs) onIdle();
    else timer = setTimeout(check, idleMs - idleForMs);
  };
  let timer = setTimeout(check, idleMs);
  return () => clearTimeout(timer);
}
