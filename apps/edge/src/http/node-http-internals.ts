import type { IncomingMessage } from 'node:http';
import type { Http2SecureServer, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { http } from '@pets/platform';
import { Http1Response } from './http1-exchange.js';
import { onlyListener } from '../platform/only-listener.js';

export interface RequestHandlers {
  readonly http1: (request: IncomingMessage, response: Http1Response) => void;
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
    if (request instanceof http.IncomingMessage && isHttp1Response(response)) http1(request, response);
  });
  server.off('stream', onlyListener(server, 'stream'));
  server.on('stream', http2);
}

function isHttp1Response(response: unknown): response is Http1Response {
  return response instanceof Http1Response;
}
