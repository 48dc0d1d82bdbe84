import { pause } from '@pets/async';
import { aggregateMetrics, type Logger, type Registry } from '@pets/platform';
import type { DiskCaches } from './disk-cache/open-disk-caches.js';
import type { ApiClient } from './feed/api-client.js';
import type { RouteReplica } from './feed/replica.js';
import type { ServingSide } from './processes/serving-side.js';
import type { Ports, Sockets } from './processes/sockets.js';
import type { RouteStore } from './store/route-store.js';

export interface Edge {
  /** Resolves when visitors are served. Without a stored table, that takes as long as the API is not reachable. */
  start(): Promise<void>;
  /**
   * Reports not ready, and serves on for `withdrawMs`, until a load balancer has noticed. Then ends each connection with its
   * next response, for at most `keepAliveMs`, stops accepting connections, lets requests in progress finish and
   * deregisters at the API, within 9 s.
   */
  stop(keepAliveMs?: number, withdrawMs?: number): Promise<void>;
  /** The conditions that are missing before the edge can serve; empty when it is ready. */
  missing(): Promise<readonly string[]>;
  /** The bound ports. */
  ports(): Ports;
  /** Of all processes. */
  readonly metrics: Pick<Registry, 'contentType' | 'metrics' | 'getMetricsAsJSON'>;
  /** Of the feed process alone. */
  readonly registry: Registry;
}

/** The parts that start and stop in a certain order. */
export interface EdgeParts {
  readonly edgeId: string;
  readonly registry: Registry;
  readonly api: ApiClient;
  readonly disks: DiskCaches;
  readonly store: RouteStore;
  readonly replica: RouteReplica;
  readonly sockets: Sockets;
  readonly serving: ServingSide;
  readonly log: Logger;
}

/** Starts and stops the parts in the order that keeps the guarantees of `feed/replica.ts`. */
export class RunningEdge implements Edge {
  readonly metrics: Edge['metrics'];
  readonly #parts: EdgeParts;
  #stopping: Promise<void> | undefined;

  constructor(parts: EdgeParts) {
    this.#parts = parts;
    const all = async () =>
      aggregateMetrics([await parts.registry.getMetricsAsJSON(), ...(await parts.serving.metrics())]);
    this.metrics = {
      contentType: parts.registry.contentType,
      metrics: async () => (await all()).metrics(),
      getMetricsAsJSON: async () => (await all()).getMetricsAsJSON(),
    };
  }

  get registry(): Registry {
    return this.#parts.registry;
  }

  ports(): Ports {
    return this.#parts.sockets.ports;
  }

  async start(): Promise<void> {
    const { replica, serving, edgeId, log } = this.#parts;
    await replica.restore();
    if (this.#stopping !== undefined) return; // `stop` has run and would not stop what starts from here on
    await replica.start();
    if (this.#stopping !== undefined) return;
    await serving.listen();
    log.info({ edgeId, ...this.ports() }, 'serving');
  }

  /**
   * Invalidates the stored table before it deregisters: the API must not stop waiting for an edge that could start again with
   * old routes.
   */
  stop(keepAliveMs = 0, withdrawMs = 0): Promise<void> {
    this.#stopping ??= this.#stop(keepAliveMs, withdrawMs);
    return this.#stopping;
  }

  async #stop(keepAliveMs: number, withdrawMs: number): Promise<void> {
    const { replica, serving, sockets, disks, store, api, edgeId, log } = this.#parts;
    if (withdrawMs > 0) await pause(withdrawMs);
    sockets.close();
    await serving.drain(keepAliveMs);
    await Promise.all([replica.stop(), disks.close()]);
    store.voidContact();
    const deregistration = await api.deregister(edgeId);
    // An API that was never reached still waits for this edge, so its table stays valid.
    if (deregistration === 'unreached') store.restoreContact();
    store.close();
    log.info({ edgeId, deregistration }, 'stopped');
  }

  async missing(): Promise<readonly string[]> {
    const { serving, replica } = this.#parts;
    if (this.#stopping !== undefined) return ['stopping'];
    const missing: string[] = [];
    if (!serving.isListening) missing.push('listeners');
    if (!replica.mayServe) missing.push('routes');
    return missing;
  }
}
