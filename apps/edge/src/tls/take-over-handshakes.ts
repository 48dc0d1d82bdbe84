import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import { onlyListener } from '../platform/only-listener.js';

/**
 * Stops Node from starting the TLS handshake of each new connection.
 * @returns starts the handshake of one connection
 */
export function takeOverHandshakes(server: Http2SecureServer): (socket: Socket) => void {
  const startHandshake = onlyListener(server, 'connection');
  server.off('connection', startHandshake);
  return (socket) => void Reflect.apply(startHandshake, server, [socket]);
}
