import type { Http2SecureServer } from 'node:http2';

/**
 * The listener that Node has registered at a new HTTP/2 server. Node has no public API for what the edge changes there, so it
 * replaces such listeners (`http/node-http-internals.ts`, `tls/take-over-handshakes.ts`).
 * @throws Error when this version of Node registers another number of listeners: it stops the edge at its start
 */
export function onlyListener(server: Http2SecureServer, event: 'connection' | 'stream'): (...args: unknown[]) => void {
  const listeners = server.listeners(event);
  const [listener] = listeners;
  if (listener === undefined || listeners.length > 1)
    throw new Error(
      `the edge does not support Node ${process.version}: an HTTP/2 server has ${listeners.length} listeners ` +
        `for "${event}" instead of 1`,
    );
  return listener as (...args: unknown[]) => void; // `listeners` knows no signatures
}
