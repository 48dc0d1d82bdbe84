import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EdgeRoute } from '@pets/contracts';
import { serveFeedSessions } from '@pets/lab';
import { certificateIdOf, indexOfCertificate, nameOf, readSealed } from './certificate-set.js';

/** The part of pets-api that an edge uses, for a number of hosts: the feed, deregistrations and certificates. */
export interface FeedFixture {
  readonly url: string;
  close(): Promise<void>;
}

export const EDGE_TOKEN = 'bench-edge-token';
/** The folder name of the deployment that every host serves. */
export const CONTENT_HASH = 'bec4';

/**
 * @param set folder of the certificates
 * @param storageUrl where the edge finds the snapshot of its routes
 */
export async function openFeedFixture(
  set: string,
  hosts: Iterable<readonly [string, EdgeRoute]>,
  storageUrl: string,
): Promise<FeedFixture> {
  const server = createServer((request, response) => void answer(request, response, set));
  const routes = new Map(hosts);
  await serveFeedSessions(server, { epoch: `bench-${routes.size}`, token: EDGE_TOKEN, storageUrl, routes });
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

async function answer(request: IncomingMessage, response: ServerResponse, set: string): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://fixture');
  if (request.headers.authorization !== `Bearer ${EDGE_TOKEN}`) return void response.writeHead(401).end();
  const id = /^\/internal\/edge\/certificates\/([0-9a-f-]{36})$/.exec(pathname)?.[1];
  if (id !== undefined) {
    const sealed = await readSealed(set, indexOfCertificate(id));
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(sealed);
  }
  request.resume().once('end', () => response.writeHead(204).end()); // deregistrations
}

/** Each host serves the same deployment with a certificate of its own. */
export function* routesOf(hosts: number): Generator<readonly [string, EdgeRoute]> {
  for (let index = 0; index < hosts; index++) yield [nameOf(index), routeOf(index)];
}

export function routeOf(index: number): EdgeRoute {
  return {
    answersChallenges: true,
    serve: { kind: 'site', contentHash: CONTENT_HASH },
    certificateId: certificateIdOf(index),
  };
}
