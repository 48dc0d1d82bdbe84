import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Logger } from '@pets/platform';
import type { RequestObserver } from '../access-log/request-observer.js';
import { connectionOf, type Connection } from '../tls/connection.js';
import type { ConnectionRegistry } from '../tls/connection-registry.js';
import { FairScheduler } from '../fair-scheduler.js';
import { chooseSecureResponse, choosePlainResponse, type Answer, type EdgeFacts } from './choose-response.js';
import { isLastAnswerOf } from './client-error.js';
import type { Exchange } from './exchange.js';
import { Http1Exchange } from './http1-exchange.js';
import { Http2Exchange } from './http2-exchange.js';
import { MOST_WAITING, mostAtATime, STREAMS_A_TURN } from './limits.js';
import type { Responder } from './respond.js';

export interface HandlerDeps {
  /** Asked anew for every request. */
  readonly edge: EdgeFacts;
  readonly responder: Responder;
  readonly connections: ConnectionRegistry;
  readonly isStopping: () => boolean;
  readonly observe: RequestObserver;
  readonly log: Logger;
}

type Choose = (exchange: Exchange, edge: EdgeFacts) => Answer;

export const choosePlain: Choose = (exchange, edge) => choosePlainResponse(exchange, edge);
export const chooseSecure: Choose = (exchange, edge) => chooseSecureResponse(exchange, exchange.connection.host, edge);

/** Takes requests of HTTP/1. */
export function http1Handler(deps: HandlerDeps, choose: Choose) {
  const onError = (error: Error) => deps.log.debug({ err: error }, 'a response broke off');
  return (request: IncomingMessage, response: ServerResponse): void => {
    response.on('error', onError);
    const { socket } = request;
    // What comes after the last request of a connection is not looked at, complete as it may be.
    if (isLastAnswerOf(socket) || socket.destroyed) return;
    const connection = connectionOf(socket);
    if (connection === undefined) socket.destroy();
    else take(new Http1Exchange(request, response, connection), deps, choose);
  };
}

/** Takes requests that Node's HTTP server has not seen. */
export function directHandler(deps: HandlerDeps, choose: Choose) {
  return (exchange: Exchange): void => take(exchange, deps, choose);
}

/** Takes requests of HTTP/2. */
export function http2Handler(deps: HandlerDeps, choose: Choose) {
  const onError = (error: Error) => deps.log.debug({ err: error }, 'a stream broke off');
  const turns = new FairScheduler<Connection, Http2Exchange>({
    perTurn: STREAMS_A_TURN,
    begin: (exchange) => take(exchange, deps, choose),
    isGone: ({ isGone }) => isGone,
  });
  return (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    _flags: number,
    rawHeaders: readonly string[],
  ): void => {
    stream.on('error', onError);
    const { session } = stream;
    const connection = session === undefined ? undefined : connectionOf(session);
    if (connection === undefined) stream.destroy();
    else turns.take(connection, new Http2Exchange(stream, headers, rawHeaders, connection));
  };
}

/** Now, or once others of its connection have been answered: who does not take answers is not made any more. */
function take(exchange: Exchange, deps: HandlerDeps, choose: Choose): void {
  const { connection, protocol } = exchange;
  if (connection.openRequests < mostAtATime[protocol]) return handle(exchange, deps, choose);
  if (connection.waitingRequests >= MOST_WAITING) return connection.reset();
  const begin = () => {
    if (!exchange.isGone) handle(exchange, deps, choose);
  };
  if (!connection.wait(begin)) exchange.refuse();
}

/** Decides and answers; and whatever happens, neither the process nor the connection is left hanging. */
function handle(exchange: Exchange, deps: HandlerDeps, choose: Choose): void {
  const startedAtMs = performance.now();
  exchange.connection.requestStarted();
  try {
    const answer = choose(exchange, deps.edge);
    if (deps.isStopping() || isLastRequest(exchange, answer)) exchange.endConnection();
    deps.responder.respond(answer, exchange);
  } catch (error) {
    deps.responder.fail(error, exchange);
  }
  exchange.whenEnded((isComplete) => {
    const endedAtMs = performance.now();
    deps.connections.requestEnded(exchange.connection, endedAtMs);
    deps.observe(exchange, { durationMs: endedAtMs - startedAtMs, isComplete });
    beginWaiting(exchange);
  });
}

function beginWaiting({ connection, protocol }: Exchange): void {
  while (connection.openRequests < mostAtATime[protocol]) {
    const begin = connection.nextWaiting();
    if (begin === undefined) return;
    begin();
  }
}

/** What follows the head of a request with a body may be slow to come, and some would like it taken for the next request. */
function isLastRequest(exchange: Exchange, answer: Answer): boolean {
  return exchange.announcesBody || (answer.kind === 'page' && answer.endsConnection === true);
}
