import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The development servers are for this machine alone, unless they run in a container. */
const LOOPBACK = '127.0.0.1';
const REQUEST_LIMIT_MS = 10_000;

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export type LocalServer = { readonly port: number; readonly url: string; close(): Promise<void> };

/** A small HTTP server; port 0 takes a free one. The handler must not throw: it owns its errors. */
export async function serveLocally(port: number, handler: Handler, host = LOOPBACK): Promise<LocalServer> {
  const server = createServer((request, response) => void handler(request, response));
  server.requestTimeout = REQUEST_LIMIT_MS;
  server.headersTimeout = REQUEST_LIMIT_MS;
  server.listen(port, host);
  await once(server, 'listening');
  const taken = (server.address() as AddressInfo).port; // listening on TCP: never a pipe's path
  return { port: taken, url: `http://${LOOPBACK}:${taken}`, close: () => close(server) };
}

/** @returns the body, or `undefined` when it is longer than the limit */
export async function readBody(request: IncomingMessage, limitBytes: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
