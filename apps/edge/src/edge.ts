import { pause } from '@pets/async';
import { originRow } from '@pets/contracts/edge-feed';
import { aggregateMetrics, type Logger, openFileStorage, Registry } from '@pets/platform';
import type { LineSink } from './access-log/line-sink.js';
import { type DiskCaches, openDiskCaches } from './disk-cache/disk-cache.js';
import { ApiClient } from './feed/api-client.js';
import { PreparedHandshakes } from './feed/prepared-handshakes.js';
import { type ReplicaSettings, RouteReplica } from './feed/replica.js';
import type { FeedProcess } from './feed/serving-processes.js';
import { OriginTests } from './forward/origin-tests.js';
import { OriginWatch } from './forward/origin-watch.js';
import { Origins, originsOptions } from './forward/origins.js';
import type { EdgeConfig } from './platform/config.js';
import { describeDiskSpace, describeFeed } from './processes/describe-edge.js';
import { ServingEdge } from './processes/serving-edge.js';
import type { ServingSide } from './processes/serving-side.js';
import { type Ports, Sockets } from './processes/sockets.js';
import { openDataFolder, openEdgeId } from './store/data-folder.js';
import { RouteStore } from './store/route-store.js';
import { type TableWork, workHere } from './tables/table-work.js';

export interface EdgeOptions {
  readonly now?: () => number;
  /** Receives the lines about requests of an edge in one process. */
  readonly accessLog?: LineSink;
  /** Starts the part that answers visitors; in this process by default. */
  readonly startServing?: (sockets: Sockets, feed: FeedProcess) => Promise<ServingSide>;
  /** Loads and verifies tables; in this process by default. */
  readonly tableWork?: TableWork;
}

/** Creates the feed process of an edge: follows the feed, writes the table, and commands what answers visitors. */
export async function createEdge(config: EdgeConfig, log: Logger, options: EdgeOptions = {}): Promise<Edge> {
  const { now = Date.now } = options;
  const accessLog = config.EDGE_ACCESS_LOG ? options.accessLog : undefined;
  const startHere = (on: Sockets, feed: FeedProcess) =>
    ServingEdge.open(config, { sockets: on, feed, processes: 1, accessLog, now, log });
  const { startServing = startHere } = options;

  const handshakes = new PreparedHandshakes();
  await openDataFolder(config.EDGE_DATA_DIR);
  const edgeId = await openEdgeId(config.EDGE_DATA_DIR);
  const sockets = await Sockets.bind(config.HOST, { http: config.EDGE_HTTP_PORT, https: config.EDGE_HTTPS_PORT });
  // Before the serving processes open them.
  const disks = await openDiskCaches(config, true, log);
  const serving = await startServing(sockets, {
    tableDamaged: (reason) => replica.tableDamaged(reason),
    preparedHandshake: (host) => {
      if (handshakes.addHost(host)) replica.announce();
    },
    originConnectivity: (id, isFailing) => originWatch.suspect(id, isFailing),
  });
  const { store } = await RouteStore.open(config.EDGE_DATA_DIR, log);
  const origins = new Origins({ ...originsOptions(config), find: (host) => store.find(host), processes: 1 });
  const originTests = new OriginTests({ origins, announce: () => replica.announce() });
  const originWatch = new OriginWatch({
    find: (id) => {
      const serve = store.find(originRow(id))?.serve;
      return serve?.kind === 'origin' ? serve : undefined;
    },
    tryConnection: (origin) => origins.tryConnection(origin),
    now: () => performance.now(),
  });
  const api = new ApiClient(config.API_URL, config.EDGE_TOKEN);
  const settings: ReplicaSettings = {
    edgeId,
    maxStalenessSeconds: config.EDGE_MAX_STALENESS,
    addresses: () => {
      const hosts = handshakes.take();
      const { report } = originTests;
      const opinions = originWatch.report();
      return {
        ...advertisedAddresses(config, sockets.ports),
        ...(hosts.length > 0 && { handshakes: [...hosts] }),
        ...(report.length > 0 && { originTests: [...report] }),
        ...(opinions.length > 0 && { originHealth: [...opinions] }),
      };
    },
    region: config.EDGE_REGION,
  };
  const target = { baseUrl: config.API_URL, token: config.EDGE_TOKEN };
  const work = options.tableWork ?? workHere(() => openFileStorage(config.STORAGE_URL));
  const replica = new RouteReplica(settings, {
    target,
    store,
    processes: serving,
    work,
    observer: {
      applied: (batch) => {
        originTests.applied(batch);
        originWatch.applied(batch);
      },
      confirmed: (ack) => originTests.confirmed(ack),
      asked: (ids) => originWatch.asked(ids),
    },
    now,
    log,
  });

  const registry = new Registry();
  const state = () => ({
    hosts: store.hosts,
    version: store.position.version,
    contactAtMs: replica.contactAtMs,
    mayServe: replica.mayServe,
    contactAheadMs: replica.contactAheadMs,
    failingOrigins: originWatch.failing,
    ...serving.counts,
  });
  describeFeed(registry, state, disks, now);
  describeDiskSpace(registry, config.EDGE_DATA_DIR);
  return new RunningEdge({
    edgeId,
    registry,
    api,
    disks,
    store,
    replica,
    originTests,
    originWatch,
    sockets,
    serving,
    log,
  });
}

/** Addresses at which the worker's probes reach this edge. */
function advertisedAddresses(config: EdgeConfig, { http, https }: Ports): ReturnType<ReplicaSettings['addresses']> {
  return {
    httpAddress: config.ADVERTISED_HTTP_ADDRESS ?? `127.0.0.1:${http}`,
    httpsAddress: config.ADVERTISED_HTTPS_ADDRESS ?? `127.0.0.1:${https}`,
  };
}

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
  /** Metrics of all processes. */
  readonly metrics: Pick<Registry, 'contentType' | 'metrics' | 'getMetricsAsJSON'>;
  /** Metrics of the feed process alone. */
  readonly registry: Registry;
}

/** The parts that start and stop in a certain order. */
interface EdgeParts {
  readonly edgeId: string;
  readonly registry: Registry;
  readonly api: ApiClient;
  readonly disks: DiskCaches;
  readonly store: RouteStore;
  readonly replica: RouteReplica;
  readonly originTests: OriginTests;
  readonly originWatch: OriginWatch;
  readonly sockets: Sockets;
  readonly serving: ServingSide;
  readonly log: Logger;
}

/** Starts and stops the parts in the order that keeps the guarantees of `feed/replica.ts`. */
class RunningEdge implements Edge {
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
    const { replica, originWatch, serving, edgeId, log } = this.#parts;
    await replica.restore();
    if (this.#stopping !== undefined) return; // `stop` has run and would not stop what starts from here on
    await replica.start();
    if (this.#stopping !== undefined) return;
    await serving.listen();
    originWatch.start();
    replica.verify(); // only now: it would take processor time from the start of the serving processes
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
    const { replica, originTests, originWatch, serving, sockets, disks, store, api, edgeId, log } = this.#parts;
    if (withdrawMs > 0) await pause(withdrawMs);
    sockets.close();
    originTests.stop();
    originWatch.stop();
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
