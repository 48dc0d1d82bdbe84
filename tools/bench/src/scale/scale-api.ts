import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  EDGE_FEED_PROTOCOL,
  edgeSessionAckSchema,
  type EdgeFeedEntry,
  type EdgeRoute,
  type EdgeSessionMessage,
  type EdgeSnapshotReference,
} from '@pets/contracts';
import { WebSocketServer, type WebSocket } from 'ws';
import { VERSION } from '@pets/lab';
import { EDGE_TOKEN } from '../edge/feed-fixture.js';

const HEARTBEAT_MS = 5_000;
const ACK_LIMIT_MS = 60_000;
const SNAPSHOT_CLOSE = 4001;

/**
 * pets-api as one edge sees it, without a database: sends a new edge to a snapshot, and then changes. Every acknowledgement
 * counts as committed at once, so that the times are those of the edge.
 */
export class ScaleApi {
  readonly #server: Server;
  readonly #snapshot: EdgeSnapshotReference;
  readonly #sessions = new Set<WebSocket>();
  readonly #changes: EdgeFeedEntry[] = [];
  #version = VERSION;
  readonly #waiting = new Set<{ readonly version: number; readonly resolve: () => void }>();

  private constructor(server: Server, snapshot: EdgeSnapshotReference) {
    this.#server = server;
    this.#snapshot = snapshot;
    const webSockets = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request: IncomingMessage, socket, head) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', this.url);
      const isAllowed = request.headers.authorization === `Bearer ${EDGE_TOKEN}`;
      if (pathname !== '/internal/edge/session' || !isAllowed) return socket.destroy();
      webSockets.handleUpgrade(request, socket, head, (session) => this.#open(session, searchParams));
    });
  }

  static async start(snapshot: EdgeSnapshotReference): Promise<ScaleApi> {
    // Deregistrations, and certificates that are not in the storage.
    const server = createServer(({ method }, response) => response.writeHead(method === 'DELETE' ? 204 : 404).end());
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new ScaleApi(server, snapshot);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // a TCP server's address is never a path
  }

  /** Publishes a change of one host. @returns the milliseconds until the edge has acknowledged it */
  async publish(host: string, route: EdgeRoute | null): Promise<number> {
    const entry: EdgeFeedEntry = { host, version: ++this.#version, route };
    this.#changes.push(entry);
    const began = performance.now();
    const acknowledged = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('a change was not acknowledged')), ACK_LIMIT_MS);
      const waiting = {
        version: entry.version,
        resolve: () => {
          clearTimeout(timer);
          this.#waiting.delete(waiting);
          resolve();
        },
      };
      this.#waiting.add(waiting);
    });
    for (const session of this.#sessions) send(session, this.#batch(entry.version - 1, [entry]));
    await acknowledged;
    return performance.now() - began;
  }

  async close(): Promise<void> {
    for (const session of this.#sessions) session.terminate();
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  #open(session: WebSocket, query: URLSearchParams): void {
    const after = Number(query.get('after'));
    session.once('message', () => {
      if (query.get('epoch') !== this.#snapshot.epoch || after < VERSION) {
        send(session, this.#snapshot);
        return session.close(SNAPSHOT_CLOSE);
      }
      const missing = this.#changes.filter(({ version }) => version > after);
      send(session, this.#batch(after, missing));
      this.#sessions.add(session);
    });
    session.on('message', (text) => {
      const { version, sentAtMs } = edgeSessionAckSchema.parse(JSON.parse((text as Buffer).toString())); // the edge sends no fragments
      for (const waiting of this.#waiting) if (version >= waiting.version) waiting.resolve();
      send(session, { kind: 'contact', contactAtMs: sentAtMs });
    });
    const heartbeat = setInterval(() => send(session, { kind: 'heartbeat', version: this.#version }), HEARTBEAT_MS);
    session.on('close', () => {
      clearInterval(heartbeat);
      this.#sessions.delete(session);
    });
  }

  /** The edge has at most a few thousand changes, one a host. */
  #batch(after: number, entries: EdgeFeedEntry[]): EdgeSessionMessage {
    const newest = new Map(entries.map((entry) => [entry.host, entry]));
    return {
      ...{
        kind: 'batch',
        epoch: this.#snapshot.epoch,
        protocol: EDGE_FEED_PROTOCOL,
        thumbprint: null,
        platformCertificate: null,
      },
      ...{ after, version: this.#version, entries: [...newest.values()] },
    };
  }
}

function send(session: WebSocket, message: EdgeSessionMessage): void {
  session.send(JSON.stringify(message));
}
