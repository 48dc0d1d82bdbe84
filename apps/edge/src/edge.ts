import { openFileStorage, Registry, type Logger } from '@pets/platform';
import { openStandardOutput, type LineSink } from './access-log/line-sink.js';
import { observeRequests } from './access-log/request-observer.js';
import type { EdgeConfig } from './config.js';
import type { EdgeFacts } from './http/choose-response.js';
import { maxConnections } from './http/limits.js';
import { createListeners, type ListenerDeps } from './http/listeners.js';
import { Responder } from './http/respond.js';
import { SiteFiles } from './http/site-files.js';
import { describeEdge } from './metrics/describe-edge.js';
import { EdgeMetrics } from './metrics/edge-metrics.js';
import { ApiClient } from './routing/api-client.js';
import { RouteReplica, type ReplicaSettings } from './routing/replica.js';
import { RouteTable } from './routing/route-table.js';
import { SnapshotStore } from './routing/snapshot-store.js';
import { RunningEdge, type Edge } from './running-edge.js';
import { PendingWrites, type SendLimits } from './sending/pending-writes.js';
import { openCertificates } from './tls/certificates.js';
import { ConnectionQuota } from './tls/connection-quota.js';
import { ConnectionRegistry } from './tls/connection-registry.js';

export type { Edge } from './running-edge.js';

/** Of what may be unsent, so much may be one address's: of 64 MiB as much as 256 connections need that are slow at the same time. */
const ADDRESSES_PART = 4;

type EdgeAddresses = ReturnType<ReplicaSettings['addresses']>;

export interface EdgeOptions {
  readonly now?: () => number;
  /** Where lines about requests go; standard output when it is left out. */
  readonly accessLog?: LineSink;
}

/** Puts the gateway together: routes from the feed, certificates by name, two listeners that ask both. */
export async function createEdge(config: EdgeConfig, log: Logger, options: EdgeOptions = {}): Promise<Edge> {
  const now = options.now ?? Date.now;
  const metrics = new EdgeMetrics(new Registry());
  const api = new ApiClient(config.API_URL, config.EDGE_TOKEN);
  const store = new SnapshotStore(config.EDGE_DATA_DIR);
  const edgeId = await store.open();
  const writes = new PendingWrites(sendLimitsOf(config), (ending) => metrics.sendEnded(ending));
  const [table, connections] = [new RouteTable(), new ConnectionRegistry(writes)];
  const certificates = await openCertificates(config, { api, table, metrics, now, log });
  const addresses = (): EdgeAddresses => addressesOf(config, edge.ports());
  const settings = { edgeId, maxStalenessSeconds: config.EDGE_MAX_STALENESS, addresses };
  const replica = new RouteReplica(settings, table, api, store, certificates.stock, connections, now, log);

  const state = { isStopping: false };
  const files = new SiteFiles(await openFileStorage(config.STORAGE_URL), hasOwnAddresses(config));
  const accessLog = accessLogOf(config, log, options);
  const deps: ListenerDeps = {
    edge: factsOf(replica, config),
    responder: new Responder(files, log),
    connections,
    isStopping: () => state.isStopping,
    observe: observeRequests(metrics, accessLog),
    quota: quotaOf(config, metrics),
    handshakesPerAddress: config.EDGE_HANDSHAKES_PER_ADDRESS,
    metrics,
    log,
  };
  const listeners = createListeners(deps, certificates.contexts, config.PLATFORM_DOMAIN);
  describeEdge(metrics, { table, replica, ...certificates, quota: deps.quota, writes, files }, now);
  const { warmSet } = certificates;
  const parts = { config, edgeId, metrics: metrics.registry, api, store, replica, warmSet, connections };
  const edge: Edge = new RunningEdge({ ...parts, listeners, accessLog, state, log });
  return edge;
}

/** Where the API finds this edge. */
function addressesOf(config: EdgeConfig, { http, https }: ReturnType<Edge['ports']>): EdgeAddresses {
  return {
    httpAddress: config.ADVERTISED_HTTP_ADDRESS ?? `127.0.0.1:${http}`,
    httpsAddress: config.ADVERTISED_HTTPS_ADDRESS ?? `127.0.0.1:${https}`,
  };
}

function factsOf(replica: RouteReplica, { PUBLIC_HTTPS_PORT: publicHttpsPort }: EdgeConfig): EdgeFacts {
  return {
    find: (host) => replica.find(host),
    get thumbprint() {
      return replica.thumbprint;
    },
    publicHttpsPort,
  };
}

/** Behind a load balancer all visitors seem to come from one. */
function hasOwnAddresses({ EDGE_MAX_CONNECTIONS_PER_ADDRESS: most }: EdgeConfig): boolean {
  return most > 0;
}

function quotaOf({ EDGE_MAX_CONNECTIONS_PER_ADDRESS: perAddress }: EdgeConfig, metrics: EdgeMetrics): ConnectionQuota {
  // 0 or next to infinite where nothing limits it.
  const inAll = maxConnections(process.constrainedMemory() || Infinity);
  return new ConnectionQuota(perAddress, inAll, () => metrics.connectionRefused('evicted'));
}

function sendLimitsOf(config: EdgeConfig): SendLimits {
  const totalBytes = config.EDGE_MAX_UNSENT_MIB * 1024 * 1024;
  return { totalBytes, bytesPerAddress: hasOwnAddresses(config) ? totalBytes / ADDRESSES_PART : Infinity };
}

function accessLogOf(config: EdgeConfig, log: Logger, { accessLog }: EdgeOptions): LineSink | undefined {
  if (!config.EDGE_ACCESS_LOG) return undefined;
  return accessLog ?? (log.isLevelEnabled('info') ? openStandardOutput() : undefined);
}
