import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ApiProxy {
  readonly url: string;
  readonly refusedStreams: number;
  readonly requestedChecks: number;
  close(): void;
}

/** A proxy in front of the API that refuses event streams, as some proxies do. */
export async function startProxyWithoutStreams(apiUrl: string): Promise<ApiProxy> {
  let refusedStreams = 0;
  let requestedChecks = 0;
  const server = createServer((incoming, response) => {
    if (incoming.headers.accept === 'text/event-stream') {
      refusedStreams += 1;
      response.writeHead(406, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    if (incoming.url?.endsWith('/watch') === true) requestedChecks += 1;
    const { method, headers } = incoming;
    const upstream = request(new URL(incoming.url ?? '/', apiUrl), { method, headers }, (upstreamResponse) => {
      response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers);
      upstreamResponse.pipe(response);
    });
    upstream.on('error', () => response.destroy());
    incoming.pipe(upstream);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    get refusedStreams() {
      return refusedStreams;
    },
    get requestedChecks() {
      return requestedChecks;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
