import type { Server } from 'node:http';
import {
  EDGE_FEED_PROTOCOL,
  edgeSessionAckSchema,
  type EdgeRoute,
  type EdgeSessionMessage,
  type EdgeSnapshotReference,
} from '@pets/contracts';
import { openFileStorage, type FileStorage } from '@pets/platform';
import { writeEdgeSnapshot } from '@pets/testing/edge-snapshot';
import { freePort, type RunningChild } from '@pets/testing/processes';
import { WebSocketServer, type WebSocket } from 'ws';
import { edgeEnvironment, type Environment } from './environments.js';
import { built, profiling, run } from './programs.js';

/** Options of an edge that has a feed, but no pets-api behind it. */
export interface EdgeAloneOptions {
  /** URL of the feed. */
  readonly apiUrl: string;
  readonly token: string;
  readonly storageUrl: string;
  readonly dataFolder: string;
  /** Keys of sealed certificates. */
  readonly keks: string;
  /** The certificate of the platform. */
  readonly certificatePem: string;
  readonly keyPem: string;
  /** The port of visitors over HTTPS; a free one by default. */
  readonly httpsPort?: number;
  /** Further settings. */
  readonly settings?: Environment;
  /** A file that its log goes to, as that of a service does, and not to this process. */
  readonly logFile?: string;
  /** The command that runs it, such as on one processor. */
  readonly wrap?: (command: readonly string[]) => readonly string[];
  /** Receives every line that it prints, but for its log if that has a file. */
  readonly onLine?: (line: string) => void;
}

interface Ports {
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly healthPort: number;
}

export interface EdgeAlone extends RunningChild, Ports {}

/** Starts one built edge, without waiting until it is ready. */
export async function startEdgeAlone({
  wrap = (command) => command,
  ...options
}: EdgeAloneOptions): Promise<EdgeAlone> {
  const ports = {
    httpPort: await freePort(),
    httpsPort: options.httpsPort ?? (await freePort()),
    healthPort: await freePort(),
  };
  const node = wrap([process.execPath, ...profiling(), built('edge')]);
  const [command = '', ...args] = options.logFile === undefined ? node : [...loggingTo(options.logFile), ...node];
  const child = run({ name: 'edge', command, args, env: environmentOf(options, ports), onLine: options.onLine });
  return { ...child, ...ports };
}

function loggingTo(file: string): readonly string[] {
  return ['sh', '-c', 'log="$1"; shift; exec "$@" >>"$log"', 'sh', file];
}

function environmentOf(options: Omit<EdgeAloneOptions, 'wrap'>, { healthPort, ...ports }: Ports): Environment {
  const given = {
    EDGE_TOKEN: options.token,
    CERTIFICATE_KEKS: options.keks,
    PLATFORM_CERTIFICATE: options.certificatePem,
    PLATFORM_KEY: options.keyPem,
    STORAGE_URL: options.storageUrl,
  };
  return {
    ...edgeEnvironment(given, { ...ports, dataFolder: options.dataFolder }),
    LOG_LEVEL: 'info',
    HEALTH_PORT: String(healthPort),
    API_URL: options.apiUrl,
    // What is measured or attacked are the limits of one process.
    EDGE_PROCESSES: '1',
    ...options.settings,
  };
}

/** One version of the feed that never changes. */
interface ServedTable {
  readonly epoch: string;
  /** Bearer token of the edges. */
  readonly token: string;
  /** The URL where the edges find the snapshot. */
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
