import type { IncomingMessage } from 'node:http';
import type { Http2SecureServer, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import { http } from '@pets/platform';
import { Http1Response } from './http1-exchange.js';
import { onlyListener } from '../tls/throttle-handshakes.js';

export interface RequestHandlers {
  readonly http1: (request: IncomingMessage, response: Http1Response) => void;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly http2: (
    stream: ServerHttp2Stream,
    headers: IncomingHttpHeaders,
    flags: number,
    rawHeaders: readonly string[],
  ) => void;
}

/**
 * Handles HTTP/2 as streams and HTTP/1 as requests. A `request` listener makes Node create a request for each stream, too;
 * the listener that does so is removed, because each stream would be handled twice. Node would answer `Expect: 100-continue`
 * itself, also for a request that is refused.
 * @param mayUpgrade whether a request that has an `Upgrade` gets the socket for itself
 */
export function handleRequests(
  server: Http2SecureServer,
  { http1, http2, upgrade }: RequestHandlers,
  mayUpgrade: (request: IncomingMessage) => boolean,
): void {
  const handle = (request: unknown, response: unknown) => {
    if (request instanceof http.IncomingMessage && isHttp1Response(response)) http1(request, response);
  };
  server.on('request', handle);
  server.on('checkContinue', handle);
  server.on('upgrade', upgrade);
  // Not in the options: the constructor replaces it.
  Object.assign(server, { shouldUpgradeCallback: mayUpgrade });
  server.off('stream', onlyListener(server, 'stream'));
  server.on('stream', http2);
}

function isHttp1Response(response: unknown): response is Http1Response {
  return response instanceof Http1Response;
}
