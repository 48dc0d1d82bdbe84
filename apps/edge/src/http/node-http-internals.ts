import { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2SecureServer, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';

/**
 * The places where the edge depends on how Node's HTTP/2 server is built. Node has no public API for them, so both functions
 * replace a listener that Node has registered. Each first checks that this listener exists, so that an incompatible version
 * of Node stops the edge at start, with a message that names the version.
 */

export interface RequestHandlers {
  readonly http1: (request: IncomingMessage, response: ServerResponse) => void;
  readonly http2: (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    flags: number,
    rawHeaders: readonly string[],
  ) => void;
}

/**
 * Handles HTTP/2 as streams and HTTP/1 as requests. A `request` listener makes Node create a request for each stream, too;
 * the listener that does so is removed, because each stream would be handled twice.
 */
export function handleRequests(server: Http2SecureServer, { http1, http2 }: RequestHandlers): void {
  server.on('request', (request: unknown, response: unknown) => {
    if (request instanceof IncomingMessage && isHttp1Response(response)) http1(request, response);
  });
  server.off('stream', onlyListener(server, 'stream'));
  server.on('stream', http2);
}

/**
 * Stops Node from starting the TLS handshake of each new connection.
 * @returns starts the handshake of one connection
 */
export function takeOverHandshakes(server: Http2SecureServer): (socket: Socket) => void {
  const startHandshake = onlyListener(server, 'connection');
  server.off('connection', startHandshake);
  return (socket) => void Reflect.apply(startHandshake, server, [socket]);
}

function isHttp1Response(response: unknown): response is ServerResponse {
  return response instanceof ServerResponse;
}

/** @throws Error when this version of Node registers another number of listeners */
function onlyListener(server: Http2SecureServer, event: 'connection' | 'stream'): (...args: unknown[]) => void {
  const listeners = server.listeners(event);
  const [listener] = listeners;
  if (listener === undefined || listeners.length > 1)
    throw new Error(
      `the edge does not support Node ${process.version}: an HTTP/2 server has ${listeners.length} listeners ` +
        `for "${event}" instead of 1`,
    );
  return listener as (...args: unknown[]) => void; // `listeners` knows no signatures
}
