import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Tap {
  readonly url: string;
  readonly refusedStreams: number;
  close(): void;
}

/** Stands before a real API as a proxy that lets no event stream through: there are such. */
export async function tapWithoutStreams(apiUrl: string): Promise<Tap> {
  let refusedStreams = 0;
  const server = createServer((asked, answer) => {
    if (asked.headers.accept === 'text/event-stream') {
      refusedStreams += 1;
      answer.writeHead(406, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const { method, headers } = asked;
    const passed = request(new URL(asked.url ?? '/', apiUrl), { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on a port
  return {
    url: `http://127.0.0.1:${port}`,
    get refusedStreams() {
      return refusedStreams;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
