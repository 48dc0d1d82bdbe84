import { drainConnections, type Logger, type Registry } from '@pets/platform';
import type { LineSink } from './access-log/line-sink.js';
import type { EdgeConfig } from './config.js';
import { drainListeners } from './drain.js';
import { listen, portOf, type Listeners } from './http/listeners.js';
import type { ApiClient } from './routing/api-client.js';
import type { RouteReplica } from './routing/replica.js';
import type { SnapshotStore } from './routing/snapshot-store.js';
import type { ConnectionRegistry } from './tls/connection-registry.js';
import type { WarmSet } from './tls/warm-set.js';

export interface Edge {
  /** Resolves when visitors are served; that may take as long as the API is away and there is no snapshot. */
  start(): Promise<void>;
  /**
   * Is not ready from now on, and ends each connection with its next answer, for `lingerMs` at most. Then stops accepting,
   * lets requests end, and takes leave of the API, within 9 s.
   */
  stop(lingerMs?: number): Promise<void>;
  /** What it lacks to serve. */
  missing(): Promise<readonly string[]>;
  /** The bound ports. */
  ports(): { readonly http: number; readonly https: number };
  /** What it counts. */
  readonly metrics: Registry;
}

/** What an edge is made of, as far as it begins and ends. */
export interface EdgeParts {
  readonly config: EdgeConfig;
  readonly edgeId: string;
  readonly metrics: Registry;
  readonly api: ApiClient;
  readonly store: SnapshotStore;
  readonly replica: RouteReplica;
  readonly warmSet: WarmSet;
  readonly connections: ConnectionRegistry;
  readonly listeners: Listeners;
  readonly accessLog: LineSink | undefined;
  /** Shared with whoever asks whether the edge is about to stop. */
  readonly state: { isStopping: boolean };
  readonly log: Logger;
}

/** Begins and ends in the order that keeps the promises of `routing/replica.ts`. */
export class RunningEdge implements Edge {
  readonly metrics: Registry;

  constructor(private readonly parts: EdgeParts) {
    this.metrics = parts.metrics;
  }

  ports(): { readonly http: number; readonly https: number } {
    const { listeners, config } = this.parts;
    return {
      http: portOf(listeners.plain) ?? config.EDGE_HTTP_PORT,
      https: portOf(listeners.secure) ?? config.EDGE_HTTPS_PORT,
    };
  }

  async start(): Promise<void> {
    const { replica, listeners, connections, config, state, warmSet, edgeId, log } = this.parts;
    await replica.restore();
    if (state.isStopping) return; // nothing would stop what is begun from here on
    await replica.start();
    if (state.isStopping) return;
    await Promise.all([
      listen(listeners.plain, config.HOST, config.EDGE_HTTP_PORT),
      listen(listeners.secure, config.HOST, config.EDGE_HTTPS_PORT),
    ]);
    await replica.announce();
    warmSet.start();
    connections.writes.start();
    log.info({ edgeId, ...this.ports() }, 'serving');
  }

  /** The snapshot becomes void before the API is told, so that it never stops waiting for an edge that could come back. */
  async stop(lingerMs = 0): Promise<void> {
    const { replica, listeners, connections, state, warmSet, store, api, accessLog, edgeId, log } = this.parts;
    state.isStopping = true;
    await drainConnections([listeners.plain, listeners.secure], lingerMs);
    await drainListeners([listeners.plain, listeners.secure], connections, log);
    connections.writes.stop();
    await Promise.all([replica.stop(), warmSet.stop()]);
    await store.setAside();
    const deregistration = await api.deregister(edgeId);
    // Never reached: the API goes on waiting for this edge, which may then go on from where it was.
    await (deregistration === 'unreached' ? store.bringBack() : store.discardSetAside());
    accessLog?.flush();
    log.info({ edgeId, deregistration }, 'stopped');
  }

  async missing(): Promise<readonly string[]> {
    const { listeners, replica, state } = this.parts;
    if (state.isStopping) return ['stopping'];
    const isListening = listeners.plain.listening && listeners.secure.listening;
    return [...(isListening ? [] : ['listeners']), ...(replica.mayServe ? [] : ['routes'])];
  }
}
