import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TlsServer } from './tls-visits.js';

/** An application of somebody, which answers with the host and the path that it was asked for. */
export async function startApplication(): Promise<{ readonly address: string; stop(): Promise<void> }> {
  const server = createServer((asked, response) => response.end(`application: ${asked.headers.host}${asked.url}`));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server's address is never a path
  return {
    address: `127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface KeptAnswer {
  readonly status: number | undefined;
  readonly body: string;
  /** Whether it came over the connection of the request before. */
  readonly isKept: boolean;
}

/** A visitor whose requests share one connection. */
export function openKeptConnection({ port, ca }: TlsServer, host: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    async get(path: string): Promise<KeptAnswer> {
      const where = { agent, ca, host: '127.0.0.1', port, path, servername: host, headers: { host } };
      const asking = request({ ...where, timeout: 15_000 });
      asking.on('timeout', () => asking.destroy(new Error('timed out')));
      asking.end();
      const [response] = (await once(asking, 'response')) as [IncomingMessage];
      return { status: response.statusCode, body: await text(response), isKept: asking.reusedSocket };
    },
    close: () => agent.destroy(),
  };
}
