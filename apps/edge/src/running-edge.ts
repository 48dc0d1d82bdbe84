import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';
import { drainConnections, type Logger, type Registry } from '@pets/platform';
import type { LineSink } from './access-log/line-sink.js';
import type { EdgeConfig } from './config.js';
import type { DiskCaches } from './disk-cache/open-disk-caches.js';
import type { LocalProcess } from './processes/local.js';
import type { ApiClient } from './routing/api-client.js';
import type { RouteReplica } from './routing/replica.js';
import type { RouteStore } from './store/route-store.js';
import type { Certificates } from './tls/certificates.js';
import type { ConnectionRegistry } from './tls/connection-registry.js';

/** How long requests in progress may continue. Leaves time for the deregistration within the 9 s of a stop. */
const DRAIN_LIMIT_MS = 4_000;

export interface Edge {
  /** Resolves when visitors are served. Without a table, that takes as long as the API is not reachable. */
  start(): Promise<void>;
  /**
   * Reports not ready and ends each connection with its next response, for at most `keepAliveMs`. Then stops accepting
   * connections, lets requests in progress finish and deregisters at the API, within 9 s.
   */
  stop(keepAliveMs?: number): Promise<void>;
  /** The conditions that are missing before the edge can serve; empty when it is ready. */
  missing(): Promise<readonly string[]>;
  /** The bound ports. */
  ports(): Ports;
  readonly metrics: Registry;
}

export interface Ports {
  readonly http: number;
  readonly https: number;
}

/** The parts that start and stop in a certain order. */
export interface EdgeParts {
  readonly config: EdgeConfig;
  readonly edgeId: string;
  readonly metrics: Registry;
  readonly api: ApiClient;
  readonly store: RouteStore;
  readonly processes: LocalProcess;
  readonly replica: RouteReplica;
  readonly certificates: Certificates;
  readonly disks: DiskCaches;
  readonly connections: ConnectionRegistry;
  readonly plain: Server;
  readonly secure: Server;
  readonly accessLog: LineSink | undefined;
  readonly log: Logger;
}

/** Starts and stops the parts in the order that keeps the guarantees of `routing/replica.ts`. */
export class RunningEdge implements Edge {
  readonly metrics: Registry;
  readonly #parts: EdgeParts;
  #isStopping = false;
  #stopped: Promise<void> | undefined;

  constructor(parts: EdgeParts) {
    this.#parts = parts;
    this.metrics = parts.metrics;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  ports(): Ports {
    const { plain, secure, config } = this.#parts;
    return { http: portOf(plain) ?? config.EDGE_HTTP_PORT, https: portOf(secure) ?? config.EDGE_HTTPS_PORT };
  }

  async start(): Promise<void> {
    const { replica, processes, plain, secure, connections, config, certificates, edgeId, log } = this.#parts;
    await replica.restore();
    if (this.#isStopping) return; // `stop` has run and would not stop what starts from here on
    processes.start();
    await replica.start();
    if (this.#isStopping) return;
    await Promise.all([
      listen(plain, config.HOST, config.EDGE_HTTP_PORT),
      listen(secure, config.HOST, config.EDGE_HTTPS_PORT),
    ]);
    replica.announce();
    certificates.start();
    connections.writes.start();
    log.info({ edgeId, ...this.ports() }, 'serving');
  }

  /**
   * Voids the saved contact before it deregisters: the API must not stop waiting for an edge that could start again with old
   * routes.
   */
  stop(keepAliveMs = 0): Promise<void> {
    this.#isStopping = true;
    return (this.#stopped ??= this.#stop(keepAliveMs));
  }

  async #stop(keepAliveMs: number): Promise<void> {
    const { replica, processes, plain, secure, connections, certificates, disks, store, api, accessLog, edgeId, log } =
      this.#parts;
    await drainConnections([plain, secure], keepAliveMs);
    await this.#drainRequests();
    connections.writes.stop();
    await Promise.all([replica.stop(), certificates.stop()]);
    await disks.close();
    store.voidContact();
    const deregistration = await api.deregister(edgeId);
    // An API that was never reached still waits for this edge, so its table stays valid.
    if (deregistration === 'unreached') store.restoreContact();
    processes.stop();
    store.close();
    accessLog?.flush();
    log.info({ edgeId, deregistration }, 'stopped');
  }

  async missing(): Promise<readonly string[]> {
    const { plain, secure, replica } = this.#parts;
    if (this.#isStopping) return ['stopping'];
    const missing: string[] = [];
    if (!plain.listening || !secure.listening) missing.push('listeners');
    if (!replica.mayServe) missing.push('routes');
    return missing;
  }

  /** Stops accepting, ends idle connections (HTTP/2 by GOAWAY), waits for requests in progress, and destroys the rest. */
  async #drainRequests(): Promise<void> {
    const { plain, secure, connections, log } = this.#parts;
    const closed = Promise.all([close(plain), close(secure)]);
    connections.drain();
    const limit = setTimeout(() => {
      log.warn({ limitMs: DRAIN_LIMIT_MS }, 'requests still in progress; connections destroyed');
      connections.destroyAll();
    }, DRAIN_LIMIT_MS);
    await closed;
    clearTimeout(limit);
  }
}

/** @throws Error when the port cannot be bound */
async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

/** @returns undefined while the server is not bound */
function portOf(server: Server): number | undefined {
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address !== null ? address.port : undefined;
}

function close(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => server.close(() => resolve()));
}
