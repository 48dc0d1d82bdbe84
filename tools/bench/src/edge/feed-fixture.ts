import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  EDGE_FEED_PROTOCOL,
  edgeSessionAckSchema,
  type EdgeRoute,
  type EdgeSessionMessage,
  type EdgeSnapshotReference,
} from '@pets/contracts';
import { writeEdgeSnapshot } from '@pets/dev-stack';
import { openFileStorage, type FileStorage } from '@pets/platform';
import { WebSocketServer, type WebSocket } from 'ws';
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
export async function openFeedFixture(set: string, hosts: number, storageUrl: string): Promise<FeedFixture> {
  const server = createServer((request, response) => void answer(request, response, set));
  const routes = new Map(routesOf(hosts));
  await serveFeedSessions(server, { epoch: `bench-${hosts}`, token: EDGE_TOKEN, storageUrl, routes });
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

/** One version of the feed that never changes. */
interface ServedTable {
  readonly epoch: string;
  /** Bearer token of the edges. */
  readonly token: string;
  /** Where the edges find the snapshot. */
  readonly storageUrl: string;
  readonly routes: ReadonlyMap<string, EdgeRoute>;
}

const HEARTBEAT_MS = 5_000;

/** Answers sessions of edges as pets-api does: a new edge gets a snapshot, a known one nothing but heartbeats. */
export async function serveFeedSessions(server: Server, table: ServedTable): Promise<void> {
  const snapshot = await writeFirstSnapshot(await openFileStorage(table.storageUrl), table.epoch, table.routes);
  const sessions = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://fixture');
    const isAllowed = request.headers.authorization === `Bearer ${table.token}`;
    if (pathname !== '/internal/edge/session' || !isAllowed) return socket.destroy();
    const isKnown = searchParams.get('epoch') === table.epoch && searchParams.get('after') === String(VERSION);
    sessions.handleUpgrade(request, socket, head, (session) => follow(session, table, isKnown ? undefined : snapshot));
  });
}

/** @param snapshot for an edge without the table */
function follow(session: WebSocket, { epoch }: ServedTable, snapshot: EdgeSnapshotReference | undefined): void {
  const send = (message: EdgeSessionMessage) => session.send(JSON.stringify(message));
  const batch = { kind: 'batch', epoch, after: VERSION, version: VERSION, protocol: EDGE_FEED_PROTOCOL } as const;
  session.once('message', () => {
    if (snapshot !== undefined) {
      send(snapshot);
      session.close();
    } else send({ ...batch, entries: [], thumbprint: null, platformCertificate: null });
  });
  session.on('message', (text) => {
    if (!Buffer.isBuffer(text)) return session.terminate(); // `ws` gives another type only on request
    const { sentAtMs } = edgeSessionAckSchema.parse(JSON.parse(text.toString()));
    send({ kind: 'contact', contactAtMs: sentAtMs });
  });
  const heartbeat = setInterval(() => send({ kind: 'heartbeat', version: VERSION }), HEARTBEAT_MS);
  session.on('close', () => clearInterval(heartbeat));
}

/** The version of every table at first. */
export const VERSION = 1;

/** Writes the snapshot of a table in its first version. */
export function writeFirstSnapshot(
  storage: FileStorage,
  epoch: string,
  routes: Iterable<readonly [host: string, route: EdgeRoute]>,
): Promise<EdgeSnapshotReference> {
  const position = { epoch, version: VERSION, thumbprint: null };
  return writeEdgeSnapshot(storage, { ...position, rows: rowsOf(routes) });
}

function* rowsOf(routes: Iterable<readonly [string, EdgeRoute]>) {
  for (const [host, route] of routes) yield { host, version: VERSION, route };
}
