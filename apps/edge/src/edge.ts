import { openFileStorage, Registry, type Logger } from '@pets/platform';
import type { LineSink } from './access-log/line-sink.js';
import { openDiskCaches } from './disk-cache/open-disk-caches.js';
import { ApiClient } from './feed/api-client.js';
import { PreparedHandshakes } from './feed/prepared-handshakes.js';
import { RouteReplica, type ReplicaSettings } from './feed/replica.js';
import type { FeedProcess } from './feed/serving-processes.js';
import type { EdgeConfig } from './platform/config.js';
import { describeDiskSpace, describeFeed } from './processes/describe-edge.js';
import { ServingEdge } from './processes/serving-edge.js';
import type { ServingSide } from './processes/serving-side.js';
import { Sockets, type Ports } from './processes/sockets.js';
import { RunningEdge, type Edge } from './running-edge.js';
import { openDataFolder, openEdgeId } from './store/data-folder.js';
import { RouteStore } from './store/route-store.js';
import { workHere, type TableWork } from './tables/table-work.js';

export type { Edge } from './running-edge.js';

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
      if (handshakes.add(host)) replica.announce();
    },
  });
  const { store } = await RouteStore.open(config.EDGE_DATA_DIR, log);
  const api = new ApiClient(config.API_URL, config.EDGE_TOKEN);
  const settings: ReplicaSettings = {
    edgeId,
    maxStalenessSeconds: config.EDGE_MAX_STALENESS,
    addresses: () => {
      const hosts = handshakes.take();
      return { ...advertisedAddresses(config, sockets.ports), ...(hosts.length > 0 && { handshakes: [...hosts] }) };
    },
    region: config.EDGE_REGION,
  };
  const target = { baseUrl: config.API_URL, token: config.EDGE_TOKEN };
  const work = options.tableWork ?? workHere(await openFileStorage(config.STORAGE_URL));
  const replica = new RouteReplica(settings, { target, store, processes: serving, work, now, log });

  const registry = new Registry();
  const state = () => ({
    hosts: store.hosts,
    version: store.position.version,
    contactAtMs: replica.contactAtMs,
    mayServe: replica.mayServe,
    contactAheadMs: replica.contactAheadMs,
    ...serving.counts,
  });
  describeFeed(registry, state, disks, now);
  describeDiskSpace(registry, config.EDGE_DATA_DIR);
  return new RunningEdge({ edgeId, registry, api, disks, store, replica, sockets, serving, log });
}

/** Where the worker's probes reach this edge. */
function advertisedAddresses(config: EdgeConfig, { http, https }: Ports): ReturnType<ReplicaSettings['addresses']> {
  return {
    httpAddress: config.ADVERTISED_HTTP_ADDRESS ?? `127.0.0.1:${http}`,
    httpsAddress: config.ADVERTISED_HTTPS_ADDRESS ?? `127.0.0.1:${https}`,
  };
}
