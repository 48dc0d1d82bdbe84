import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import {
  EDGE_FEED_PROTOCOL,
  edgeSessionAckSchema,
  type EdgeFeedEntry,
  type EdgeRoute,
  type EdgeSessionMessage,
  type EdgeSnapshotReference,
} from '@pets/contracts';
import { startEdgeAlone, VERSION, type EdgeAlone, type EdgeAloneOptions } from '@pets/lab';
import { untilReady, waitUntil } from '@pets/testing/processes';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Ground, Serving } from '../edge/contestant.js';
import { EDGE_TOKEN } from '../edge/feed-fixture.js';
import { deploy, edgeOptions } from '../edge/our-edge.js';
import { memoryMb, processTree } from '../engine/processes.js';

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

const READY_LIMIT_MS = 60_000;
const READY_INTERVAL_MS = 5;

export interface ScaleGround extends Ground {
  /** Writes a snapshot with so many names, or finds the one it has written. */
  snapshot(names: number): Promise<EdgeSnapshotReference>;
}

interface EdgeOptions {
  /** The name of its data folder. */
  readonly name: string;
  readonly processes: number;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Our edge as it is built, with a feed that the suite controls. */
export class ScaleEdge implements Serving {
  readonly #ground: ScaleGround;
  readonly #options: EdgeOptions;
  readonly api: ScaleApi;
  #child: EdgeAlone | undefined;

  private constructor(ground: ScaleGround, options: EdgeOptions, api: ScaleApi) {
    this.#ground = ground;
    this.#options = options;
    this.api = api;
  }

  /** Starts an edge with an empty disk. @returns it, and the milliseconds until it was ready */
  static async start(ground: ScaleGround, names: number, options: EdgeOptions) {
    const api = await ScaleApi.start(await ground.snapshot(names));
    const edge = new ScaleEdge(ground, options, api);
    await rm(edge.folder, { recursive: true, force: true });
    return { edge, readyMs: await edge.#start() };
  }

  get folder(): string {
    return join(this.#ground.folder, `edge-${this.#options.name}`);
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get port(): number {
    return this.#child?.httpsPort ?? 0;
  }

  /** Kills it and starts it with what it has on its disk. @returns the milliseconds until it was ready */
  async restartAfterKill(): Promise<number> {
    for (const pid of processTree(this.pid).toReversed()) process.kill(pid, 'SIGKILL');
    await this.#child?.stop();
    return this.#start();
  }

  async stop(): Promise<void> {
    await this.#child?.stop();
    await this.api.close();
  }

  /** Memory of all processes; each shared page counts once (PSS). */
  memoryMb(): number {
    return memoryMb(this.pid);
  }

  /** Bytes that all processes have caused to be written to disk, those that were never written included. */
  writtenBytes(): number {
    const texts = this.#lastingPids().map((pid) => readFileSync(`/proc/${pid}/io`, 'utf8'));
    return texts.reduce((sum, text) => sum + Number(/^write_bytes: (\d+)/m.exec(text)?.[1] ?? 0), 0);
  }

  /** The sum of a counter's values, of all processes, whose labels include a text. */
  async counter(name: string, label = ''): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${this.#child?.healthPort ?? 0}/metrics`);
    const lines = (await response.text())
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) && line.includes(label));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
  }

  /** The longest time that an event loop has been blocked since the last call, in milliseconds, of all processes. */
  async longestPauseMs(): Promise<number> {
    const read = async (pid: number) => {
      const file = join(this.#ground.folder, `pauses-${pid}`);
      await rm(file, { force: true });
      process.kill(pid, 'SIGUSR2');
      return waitUntil(() => readFileSync(file, 'utf8').trim(), { message: `the pauses of process ${pid}` });
    };
    return Math.max(...(await Promise.all(this.#lastingPids().map(read))).map(Number));
  }

  /** Processes of the edge without those that load or verify the table, which end soon. */
  #lastingPids(): readonly number[] {
    return processTree(this.pid).filter((pid) => !commandOf(pid).includes('table-main'));
  }

  async #start(): Promise<number> {
    const { name, processes, environment } = this.#options;
    const monitor = new URL('pauses-main.js', import.meta.url);
    const options: EdgeAloneOptions = {
      ...edgeOptions(this.#ground),
      apiUrl: this.api.url,
      storageUrl: await deploy(this.#ground),
      dataFolder: this.folder,
      settings: {
        EDGE_PROCESSES: String(processes),
        NODE_OPTIONS: `--import=${monitor.href}`,
        BENCH_PAUSES: this.#ground.folder,
        ...environment,
      },
      logFile: join(this.#ground.folder, `${name}.log`),
    };
    const began = performance.now();
    this.#child = await startEdgeAlone(options);
    const readyUrl = `http://127.0.0.1:${this.#child.healthPort}/readyz`;
    await untilReady({ name: 'the edge', readyUrl }, { timeoutMs: READY_LIMIT_MS, intervalMs: READY_INTERVAL_MS });
    return performance.now() - began;
  }
}

/** Empty for a process that has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}
