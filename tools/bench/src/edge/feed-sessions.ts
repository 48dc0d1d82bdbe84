import { createHash } from 'node:crypto';
import type { Server } from 'node:http';
import { zstdCompressSync } from 'node:zlib';
import {
  edgeFeedProtocols,
  edgeSessionAckSchema,
  type EdgeRoute,
  type EdgeSessionMessage,
  type EdgeSnapshotManifest,
  type EdgeSnapshotReference,
} from '@pets/contracts';
import { openFileStorage, type FileStorage } from '@pets/platform';
import { WebSocketServer, type WebSocket } from 'ws';

/** One version of the feed that never changes. */
export interface ServedTable {
  readonly epoch: string;
  /** Bearer token of the edges. */
  readonly token: string;
  /** Where the edges find the snapshot. */
  readonly storageUrl: string;
  readonly routes: ReadonlyMap<string, EdgeRoute>;
}

const VERSION = 1;
/** Less than 1 MiB of lines. */
const HOSTS_PER_CHUNK = 4_000;
const HEARTBEAT_MS = 5_000;

/** Answers sessions of edges as pets-api does: a new edge gets a snapshot, a known one nothing but heartbeats. */
export async function serveFeedSessions(server: Server, table: ServedTable): Promise<void> {
  const snapshot = await writeSnapshot(await openFileStorage(table.storageUrl), table);
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
  const batch = { kind: 'batch', epoch, after: VERSION, version: VERSION, reset: false } as const;
  session.once('message', () => {
    if (snapshot !== undefined) {
      send(snapshot);
      session.close();
    } else send({ ...batch, protocol: edgeFeedProtocols.newest, entries: [], thumbprint: null });
  });
  session.on('message', (text) => {
    if (!Buffer.isBuffer(text)) return session.terminate(); // `ws` gives another type only on request
    const { sentAtMs } = edgeSessionAckSchema.parse(JSON.parse(text.toString()));
    send({ kind: 'contact', contactAtMs: sentAtMs });
  });
  const heartbeat = setInterval(() => send({ kind: 'heartbeat', version: VERSION }), HEARTBEAT_MS);
  session.on('close', () => clearInterval(heartbeat));
}

async function writeSnapshot(storage: FileStorage, { epoch, routes }: ServedTable): Promise<EdgeSnapshotReference> {
  const folder = `snapshots/${epoch}/${VERSION}`;
  const hosts = [...routes.keys()].toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  const chunks: EdgeSnapshotManifest['chunks'] = [];
  for (let first = 0; first < hosts.length; first += HOSTS_PER_CHUNK) {
    const some = hosts.slice(first, first + HOSTS_PER_CHUNK);
    const lines = some.map((host) => `${host} ${VERSION} ${JSON.stringify(routes.get(host))}\n`);
    const text = Buffer.from(lines.join(''));
    const content = zstdCompressSync(text);
    const key = `${folder}/${chunks.length}.zst`;
    await storage.write(key, content);
    const sizes = { bytes: content.length, textBytes: text.length, hosts: some.length };
    chunks.push({ key, sha256: sha256(content), ...sizes });
  }
  const manifest: EdgeSnapshotManifest = {
    ...{
      format: 1,
      epoch,
      version: VERSION,
      protocol: edgeFeedProtocols.newest,
      thumbprint: null,
      compression: 'zstd',
    },
    ...{ hosts: hosts.length, chunks },
  };
  const content = Buffer.from(JSON.stringify(manifest));
  const manifestKey = `${folder}/manifest.json`;
  await storage.write(manifestKey, content);
  const hash = { manifestSha256: sha256(content), manifestBytes: content.length };
  return { kind: 'snapshot', epoch, version: VERSION, manifestKey, ...hash };
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
