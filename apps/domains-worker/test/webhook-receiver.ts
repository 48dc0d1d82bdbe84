import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';

interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of webhooks on this machine. */
export interface WebhookReceiver {
  readonly port: number;
  readonly requests: readonly ReceivedRequest[];
  /** How many connections were made. */
  connections(): number;
  close(): Promise<void>;
}

/** @param answer is called when the complete request was received. @param tls for a receiver over TLS */
export async function startWebhookReceiver(
  answer: RequestListener,
  tls?: { readonly certPem: string; readonly keyPem: string },
): Promise<WebhookReceiver> {
  const requests: ReceivedRequest[] = [];
  let connections = 0;
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      answer(request, response);
    });
  };
  const server =
    tls === undefined
      ? createHttpServer(listener)
      : createHttpsServer({ cert: tls.certPem, key: tls.keyPem }, listener);
  (server as Server).on('connection', () => (connections += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port, // listening on TCP: never a pipe's path
    requests,
    connections: () => connections,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
