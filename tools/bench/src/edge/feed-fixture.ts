import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { EdgeFeedMessage, EdgeRoute } from '@pets/contracts';
import { certificateIdOf, nameOf, readSealed } from './certificate-set.js';

/** The part of pets-api that an edge uses, for a number of hosts: the feed, acknowledgements and certificates. */
export interface FeedFixture {
  readonly url: string;
  close(): Promise<void>;
}

export const EDGE_TOKEN = 'bench-edge-token';
/** The folder name of the deployment that every host serves. */
export const CONTENT_HASH = 'bec4';

const EPOCH = 'bench';
const HEARTBEAT_MS = 5_000;

/** @param set folder of the certificates */
export async function openFeedFixture(set: string, hosts: number): Promise<FeedFixture> {
  const server = createServer((request, response) => void answer(request, response, set, hosts));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a TCP server's address is never a path
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, set: string, hosts: number): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fixture');
  if (request.headers.authorization !== `Bearer ${EDGE_TOKEN}`) return void response.writeHead(401).end();
  if (pathname === '/internal/edge/feed') return stream(response, hosts, searchParams.get('epoch') !== EPOCH);
  const id = /^\/internal\/edge\/certificates\/c(\d+)$/.exec(pathname)?.[1];
  if (id !== undefined) {
    const sealed = await readSealed(set, Number(id));
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(sealed);
  }
  request.resume().once('end', () => response.writeHead(204).end()); // acknowledgements and deregistrations
}

/** One version only: all hosts for a new edge, no changes for others. */
function stream(response: ServerResponse, hosts: number, isNew: boolean): void {
  const entries = Array.from({ length: isNew ? hosts : 0 }, (_, index) => ({
    host: nameOf(index),
    version: 1,
    route: routeOf(index),
  }));
  const after = isNew ? 0 : 1;
  const send = (message: EdgeFeedMessage) => response.write(`${JSON.stringify(message)}\n`);
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  send({ kind: 'batch', epoch: EPOCH, after, version: 1, reset: isNew, entries, thumbprint: 'bench' });
  const heartbeat = setInterval(() => send({ kind: 'heartbeat', version: 1 }), HEARTBEAT_MS);
  response.once('close', () => clearInterval(heartbeat));
}

function routeOf(index: number): EdgeRoute {
  return {
    answersChallenges: true,
    serve: { kind: 'site', contentHash: CONTENT_HASH },
    certificateId: certificateIdOf(index),
  };
}
