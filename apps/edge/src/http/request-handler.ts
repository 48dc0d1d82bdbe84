import { performance } from 'node:perf_hooks'; // the global one is a getter, which is called at each use
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Logger } from '@pets/platform';
import { FairScheduler } from '../fairness/fair-scheduler.js';
import { connectionOf, type Connection } from '../tls/connection.js';
import type { ConnectionRegistry } from '../tls/connection-registry.js';
import { choosePlainResponse, chooseSecureResponse, type Answer, type SecureEdgeFacts } from './choose-response.js';
import { isLastResponseOf } from './pages.js';
import type { Exchange, FinishListener } from './exchange.js';
import { Http1Exchange, Http1Response } from './http1-exchange.js';
import { Http2Exchange } from './http2-exchange.js';
import { dropInput } from './linger.js';
import { MAX_WAITING_REQUESTS, maxConcurrentRequests, STREAMS_PER_TICK } from './limits.js';
import type { RequestHandlers } from './node-http-internals.js';
import type { Responder } from './respond.js';

/** How the response to a request ended. */
export interface RequestEnd {
  /** From the head of the request to the end of the response. */
  readonly durationMs: number;
  /** Whether the complete response was sent. */
  readonly isComplete: boolean;
}

export interface RequestHandlerDeps {
  /** Read again for every request. */
  readonly edge: SecureEdgeFacts;
  readonly responder: Responder;
  readonly connections: ConnectionRegistry;
  readonly isStopping: () => boolean;
  /** Called for each request when its response has ended. */
  readonly onRequestEnd: (exchange: Exchange, ending: RequestEnd) => void;
  readonly log: Logger;
}

type Choose = (exchange: Exchange, edge: SecureEdgeFacts) => Answer;

export const choosePlain: Choose = (exchange, edge) => choosePlainResponse(exchange, edge);
export const chooseSecure: Choose = (exchange, edge) => chooseSecureResponse(exchange, exchange.connection.host, edge);

/** Receives the requests of one listener, chooses an answer for each and has it sent. */
export class RequestHandler implements RequestHandlers {
  readonly #deps: RequestHandlerDeps;
  readonly #choose: Choose;
  readonly #streams: FairScheduler<Connection, Exchange>;

  constructor(deps: RequestHandlerDeps, choose: Choose) {
    this.#deps = deps;
    this.#choose = choose;
    this.#streams = new FairScheduler({
      perTick: STREAMS_PER_TICK,
      start: (exchange) => this.#enqueue(exchange),
      isGone: ({ isClosed }) => isClosed,
    });
  }

  readonly http1 = (request: IncomingMessage, response: Http1Response): void => {
    response.onError = this.#onResponseError;
    const { socket } = request;
    // Requests after the last one of a connection are ignored, even complete ones.
    if (isLastResponseOf(socket)) return dropInput(socket);
    if (socket.destroyed) return;
    const connection = connectionOf(socket);
    if (connection === undefined) socket.destroy();
    else this.#enqueue(new Http1Exchange(request, response, connection));
  };

  /**
   * A request for another protocol (`mayUpgrade`), whose socket Node has given up. Its response ends the socket, because
   * nothing reads what follows as a request.
   */
  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const connection = connectionOf(request.socket);
    socket.on('error', this.#onResponseError);
    if (connection === undefined || socket.destroyed) return void socket.destroy();
    const response = new Http1Response(request);
    response.onError = this.#onResponseError;
    response.shouldKeepAlive = false;
    response.assignSocket(request.socket);
    response.on('finish', () => request.socket.destroySoon());
    const exchange = new Http1Exchange(request, response, connection);
    exchange.upgradeHead = head;
    this.#enqueue(exchange);
  };

  readonly http2 = (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    _flags: number,
    rawHeaders: readonly string[],
  ): void => {
    stream.on('error', this.#onStreamError);
    const { session } = stream;
    const connection = session === undefined ? undefined : connectionOf(session);
    if (connection === undefined) stream.destroy();
    else this.#streams.add(connection, new Http2Exchange(stream, headers, rawHeaders, connection));
  };

  /** Shared by all requests: a listener of its own for each would cost memory. */
  readonly #onResponseError = (error: Error): void => this.#deps.log.debug({ err: error }, 'response failed');
  readonly #onStreamError = (error: Error): void => this.#deps.log.debug({ err: error }, 'stream failed');

  /** Handles a request now, or after others of its connection: a client that reads no responses gets no new ones. */
  #enqueue(exchange: Exchange): void {
    const { connection, protocol } = exchange;
    if (connection.openRequests < maxConcurrentRequests[protocol]) return this.#handle(exchange);
    if (connection.waitingRequests >= MAX_WAITING_REQUESTS) return connection.reset();
    const start = () => {
      if (!exchange.isClosed) this.#handle(exchange);
    };
    if (!connection.wait(start)) exchange.refuse();
  }

  /** Ends every exchange: an error must leave neither the process nor the connection hanging. */
  #handle(exchange: Exchange): void {
    const { edge, responder, isStopping } = this.#deps;
    exchange.startedAtMs = performance.now();
    exchange.connection.requestStarted();
    try {
      const answer = this.#choose(exchange, edge);
      if (isStopping() || isLastRequest(exchange, answer)) exchange.endConnection();
      responder.respond(answer, exchange);
    } catch (error) {
      responder.fail(error, exchange);
    }
    exchange.onFinished(this.#onFinished);
  }

  readonly #onFinished: FinishListener = (exchange, isComplete) => {
    const endedAtMs = performance.now();
    this.#deps.connections.requestEnded(exchange.connection, endedAtMs);
    this.#deps.onRequestEnd(exchange, { durationMs: endedAtMs - exchange.startedAtMs, isComplete });
    startWaiting(exchange);
  };
}

function startWaiting({ connection, protocol }: Exchange): void {
  while (connection.openRequests < maxConcurrentRequests[protocol]) {
    const start = connection.nextWaiting();
    if (start === undefined) return;
    start();
  }
}

/**
 * Only bodies that are forwarded are read. After another request with a body the edge ends the connection, so that no body is
 * read as a request.
 */
function isLastRequest(exchange: Exchange, answer: Answer): boolean {
  return (exchange.announcesBody && answer.kind !== 'application') || answer.endsConnection === true;
}

/**
 * Whether a request becomes a connection of another protocol: only WebSockets (RFC 6455 §4.1) do, where an application answers.
 * Node asks this for requests that have an `Upgrade`, and ignores it otherwise. Requests before it must have their responses.
 */
export function mayUpgrade({ method, headers, socket }: IncomingMessage, find: SecureEdgeFacts['find']): boolean {
  const connection = connectionOf(socket);
  if (connection?.host === undefined || !connection.isIdle || connection.waitingRequests > 0) return false;
  const isWebSocket =
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    headers['sec-websocket-key'] !== undefined &&
    headers['transfer-encoding'] === undefined &&
    (headers['content-length'] ?? '0') === '0';
  return isWebSocket && find(connection.host)?.serve?.kind === 'application';
}
