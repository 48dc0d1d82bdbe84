/**
 * Upgrades to WebSockets (RFC 6455 §4.2). Such a request takes the way of every other through Fastify, so its listener, its
 * token, its log line and the shape of its errors are the same. The handler of the route completes the upgrade.
 */
import { ServerResponse, type IncomingMessage, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { RequestError } from '@pets/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { WebSocket, WebSocketServer } from 'ws';

interface Upgrade {
  readonly socket: Socket;
  /** The first bytes after the request. */
  readonly head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/**
 * For `shouldUpgradeCallback` of a server: any other request is answered as if it did not ask for an upgrade. The router
 * decides what the path leads to.
 */
export function isUpgradeTo(path: string) {
  return ({ method, url, headers }: IncomingMessage): boolean =>
    method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && url?.split('?', 1)[0] === path;
}

/** Passes requests for an upgrade to the router. */
export function routeUpgrades(
  server: Server,
  route: (request: IncomingMessage, response: ServerResponse) => void,
): void {
  server.on('upgrade', (request, socket, head) => {
    if (!isSocket(socket)) return void socket.destroy();
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.destroySoon());
    socket.on('error', () => socket.destroy());
    upgrades.set(request, { socket, head });
    route(request, response);
  });
}

function isSocket(socket: object): socket is Socket {
  return 'destroySoon' in socket;
}

/**
 * Completes the upgrade of a request.
 * @throws RequestError when the request does not ask for one
 */
export function upgrade(server: WebSocketServer, request: FastifyRequest, reply: FastifyReply): Promise<WebSocket> {
  const { raw } = request;
  const found = upgrades.get(raw);
  if (found === undefined) throw new RequestError('invalid_request', 'This path is only for WebSockets (RFC 6455).');
  // `ws` would refuse these two with an answer of its own.
  if (!/^[+/0-9A-Za-z]{22}==$/.test(raw.headers['sec-websocket-key'] ?? ''))
    throw new RequestError('invalid_request', 'Sec-WebSocket-Key: is missing or malformed.');
  if (raw.headers['sec-websocket-version'] !== '13')
    throw new RequestError('invalid_request', 'Sec-WebSocket-Version: must be 13.');
  upgrades.delete(raw);
  reply.hijack();
  const { socket, head } = found;
  const response = reply.raw;
  response.writeHead(101); // for the log line, which is written when the response closes
  response.detachSocket(socket);
  socket.once('close', () => response.emit('close'));
  return new Promise((resolve) => server.handleUpgrade(raw, socket, head, resolve));
}
