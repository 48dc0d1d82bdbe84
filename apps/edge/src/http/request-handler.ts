import type { IncomingMessage } from 'node:http';
import type { Logger } from '@pets/platform';
import type { RequestObserver } from '../access-log/request-observer.js';
import type { ConnectionRegistry } from '../tls/connection-registry.js';
import {
  chooseSecureResponse,
  choosePlainResponse,
  type Answer,
  type EdgeFacts,
  type RequestFacts,
} from './choose-response.js';
import type { Responder } from './respond.js';
import { isLastAnswerOf, markLastAnswer } from './client-error.js';
import { sendPage, type EdgeRequest, type EdgeResponse } from './send.js';

export interface HandlerDeps {
  /** Asked anew for every request. */
  readonly edge: () => EdgeFacts;
  readonly responder: Responder;
  readonly connections: ConnectionRegistry;
  readonly isStopping: () => boolean;
  readonly observe: RequestObserver;
  readonly log: Logger;
}

type Choose = (facts: RequestFacts, request: EdgeRequest, edge: EdgeFacts) => Answer;

export function plainHandler(deps: HandlerDeps) {
  return handler(deps, (facts, _request, edge) => choosePlainResponse(facts, edge));
}

export function secureHandler(deps: HandlerDeps) {
  return handler(deps, (facts, request, edge) => chooseSecureResponse(facts, serverNameOf(request), edge));
}

/** Gather, decide, answer; and whatever happens, neither the process nor the connection is left hanging. */
function handler(deps: HandlerDeps, choose: Choose) {
  return (request: EdgeRequest, response: EdgeResponse): void => {
    request.on('error', (error) => deps.log.debug({ err: error }, 'the request broke off'));
    response.on('error', (error: Error) => deps.log.debug({ err: error }, 'the response broke off'));
    // What comes after the last request of a connection is not looked at, complete as it may be.
    if (!isHttp2(request) && isLastAnswerOf(request.socket)) return;
    deps.observe(request, response);
    if (!isHttp2(request)) countRequest(request, response, deps.connections);

    const answer = choose(gatherFacts(request), request, deps.edge());
    const endsConnection = deps.isStopping() || isLastRequest(request, answer);
    if (endsConnection) endConnectionAfter(request, response);

    deps.responder.respond(answer, request, response).catch((error: unknown) => {
      deps.log.error({ err: error, host: request.headers.host }, 'a request could not be answered');
      if (response.headersSent) response.destroy();
      else sendPage('unavailable', request, response);
    });
  };
}

/**
 * Nothing here reads a body, so what follows its head on the connection is not looked at: it may be slow to come, and
 * some would like it to be taken for the next request. The same goes for what follows a request that made no sense.
 */
function isLastRequest(request: EdgeRequest, answer: Answer): boolean {
  if (answer.kind === 'page' && answer.endsConnection === true) return true;
  if (isHttp2(request)) return false;
  if (answer.kind === 'page' && answer.page === 'bad_request') return true;
  return request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0;
}

function gatherFacts(request: EdgeRequest): RequestFacts {
  const hosts: string[] = [];
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at]?.toLowerCase();
    if (name === 'host' || name === ':authority') hosts.push(request.rawHeaders[at + 1] ?? '');
  }
  // HTTP/2 may say the same twice, as `:authority` and as `host` (RFC 9113 §8.3.1).
  return {
    method: request.method ?? '',
    target: request.url ?? '',
    hosts: isHttp2(request) ? [...new Set(hosts)] : hosts,
  };
}

function countRequest(request: IncomingMessage, response: EdgeResponse, connections: ConnectionRegistry): void {
  const { socket } = request;
  connections.requestStarted(socket);
  response.once('close', () => connections.requestEnded(socket));
}

function endConnectionAfter(request: EdgeRequest, response: EdgeResponse): void {
  if (isHttp2(request)) request.stream.session?.close();
  else {
    markLastAnswer(request.socket);
    response.setHeader('connection', 'close');
  }
}

/** The name of the handshake. Node's types do not know the property, and HTTP/2 hides the socket behind a proxy. */
function serverNameOf(request: EdgeRequest): string | undefined {
  const socket = isHttp2(request) ? request.stream.session?.socket : request.socket;
  const name: unknown = socket === undefined ? undefined : Reflect.get(socket, 'servername');
  return typeof name === 'string' ? name : undefined;
}

function isHttp2(request: EdgeRequest): request is Extract<EdgeRequest, { stream: unknown }> {
  return request.httpVersionMajor === 2;
}
