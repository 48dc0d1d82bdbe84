import type { IncomingMessage } from 'node:http';
import type { Logger } from '@pets/platform';
import type { ConnectionRegistry } from '../tls/connection-registry.js';
import {
  chooseSecureResponse,
  choosePlainResponse,
  type Answer,
  type EdgeFacts,
  type RequestFacts,
} from './choose-response.js';
import { sendPage, type EdgeRequest, type EdgeResponse, type Responder } from './respond.js';

export interface HandlerDeps {
  /** Asked anew for every request. */
  readonly edge: () => EdgeFacts;
  readonly responder: Responder;
  readonly connections: ConnectionRegistry;
  readonly isStopping: () => boolean;
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
    if (!isHttp2(request)) countRequest(request, response, deps.connections);

    const answer = choose(gatherFacts(request), request, deps.edge());
    const endsConnection = deps.isStopping() || (answer.kind === 'page' && answer.endsConnection === true);
    if (endsConnection) endConnectionAfter(request, response);

    deps.responder.respond(answer, request, response).catch((error: unknown) => {
      deps.log.error({ err: error, host: request.headers.host }, 'a request could not be answered');
      if (response.headersSent) response.destroy();
      else sendPage('unavailable', request, response);
    });
  };
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
  else response.setHeader('connection', 'close');
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
