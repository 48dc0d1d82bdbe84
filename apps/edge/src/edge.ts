import { Networks, openFileStorage, Registry, type Logger } from '@pets/platform';
import { formatLine, type RequestEnd } from './access-log/access-line.js';
import { openStandardOutput, type LineSink } from './access-log/line-sink.js';
import type { EdgeConfig } from './config.js';
import { openDiskCaches } from './disk-cache/open-disk-caches.js';
import type { Exchange } from './http/exchange.js';
import { maxConnections } from './http/limits.js';
import { createPlainListener, createSecureListener, type ListenerDeps } from './http/listeners.js';
import { Responder } from './http/respond.js';
import { SiteFileCache } from './http/site-file-cache.js';
import { SiteFiles } from './http/site-files.js';
import { describeEdge } from './metrics/describe-edge.js';
import { EdgeMetrics } from './metrics/edge-metrics.js';
import { ApiClient } from './routing/api-client.js';
import { LocalProcess } from './processes/local.js';
import { RouteReplica, type ReplicaSettings } from './routing/replica.js';
import { leaseMs } from './routing/staleness.js';
import { RunningEdge, type Edge, type Ports } from './running-edge.js';
import { PendingWrites, type SendLimits } from './sending/pending-writes.js';
import { openEdgeId } from './store/edge-id.js';
import { RouteStore } from './store/route-store.js';
import { Certificates } from './tls/certificates.js';
import { ConnectionQuota } from './tls/connection-quota.js';
import { ConnectionRegistry } from './tls/connection-registry.js';

export type { Edge } from './running-edge.js';

/** The share of the memory for unsent replies that one address may use: with 64 MiB, enough for 256 slow connections. */
const ADDRESS_SHARE = 1 / 4;

export interface EdgeOptions {
  readonly now?: () => number;
  /** Receives the lines about requests; standard output by default. */
  readonly accessLog?: LineSink;
}

/** Creates the gateway: routes from the feed, certificates by name, and two listeners that use both. */
export async function createEdge(config: EdgeConfig, log: Logger, options: EdgeOptions = {}): Promise<Edge> {
  const now = options.now ?? Date.now;
  const metrics = new EdgeMetrics(new Registry());
  const accessLog = openAccessLog(config, log, options);

  const api = new ApiClient(config.API_URL, config.EDGE_TOKEN);
  const edgeId = await openEdgeId(config.EDGE_DATA_DIR);
  const { store } = await RouteStore.open(config.EDGE_DATA_DIR, log);
  const storage = await openFileStorage(config.STORAGE_URL);
  const disks = await openDiskCaches(config, true, log);
  const certificates = new Certificates(config, {
    api,
    storage,
    disk: disks.certificates,
    find: (host) => processes.find(host),
    metrics,
    servingProcesses: 1,
    now,
    log,
  });
  const { contexts } = certificates;

  const quota = createQuota(config, metrics);
  const writes = new PendingWrites(sendLimitsOf(config), (ending) => metrics.sendEnded(ending));
  const connections = new ConnectionRegistry(writes);
  const replicaSettings: ReplicaSettings = {
    edgeId,
    maxStalenessSeconds: config.EDGE_MAX_STALENESS,
    addresses: () => advertisedAddresses(config, edge.ports()),
  };
  const processes: LocalProcess = new LocalProcess({
    leaseMs: leaseMs(config.EDGE_MAX_STALENESS),
    now,
    connections,
    certificates,
    onDamaged: (reason) => replica.tableDamaged(reason),
  });
  const target = { baseUrl: config.API_URL, token: config.EDGE_TOKEN };
  const replica = new RouteReplica(replicaSettings, { target, store, processes, storage, now, log });

  const files = new SiteFiles({
    storage,
    cache:
      disks.siteFiles &&
      new SiteFileCache({
        disk: disks.siteFiles,
        maxBytes: config.EDGE_SITE_CACHE_BYTES,
        storage,
        log,
      }),
    limitsAddresses: seesVisitorAddresses(config),
  });
  const listenerDeps: ListenerDeps = {
    edge: {
      find: (host) => processes.find(host),
      get thumbprint() {
        return processes.thumbprint;
      },
      publicHttpsPort: config.PUBLIC_HTTPS_PORT,
    },
    responder: new Responder(files, log),
    contexts,
    connections,
    quota,
    platformDomain: config.PLATFORM_DOMAIN,
    handshakesPerAddress: config.EDGE_HANDSHAKES_PER_ADDRESS,
    trustedProxies: new Networks(config.EDGE_TRUSTED_PROXIES),
    isStopping: () => edge.isStopping,
    onRequestEnd: (exchange, ending) => recordRequest(exchange, ending, metrics, accessLog),
    metrics,
    log,
  };
  const plain = createPlainListener(listenerDeps);
  const secure = createSecureListener(listenerDeps);

  describeEdge(metrics, { store, replica, contexts, disks, quota, writes, files }, now);
  const edge = new RunningEdge({
    config,
    edgeId,
    metrics: metrics.registry,
    api,
    store,
    processes,
    replica,
    certificates,
    disks,
    connections,
    plain,
    secure,
    accessLog,
    log,
  });
  return edge;
}

/** Where the worker's probes reach this edge. */
function advertisedAddresses(config: EdgeConfig, { http, https }: Ports): ReturnType<ReplicaSettings['addresses']> {
  return {
    httpAddress: config.ADVERTISED_HTTP_ADDRESS ?? `127.0.0.1:${http}`,
    httpsAddress: config.ADVERTISED_HTTPS_ADDRESS ?? `127.0.0.1:${https}`,
  };
}

/** Counts a request and, if there is an access log, writes a line about it. */
function recordRequest(
  exchange: Exchange,
  ending: RequestEnd,
  metrics: EdgeMetrics,
  accessLog: LineSink | undefined,
): void {
  metrics.request(exchange.status, exchange.protocol, ending.durationMs);
  accessLog?.write(formatLine(exchange, ending, Date.now()));
}

/** False behind a load balancer, where all visitors have its address. */
function seesVisitorAddresses({ EDGE_MAX_CONNECTIONS_PER_ADDRESS: maxPerAddress }: EdgeConfig): boolean {
  return maxPerAddress > 0;
}

function createQuota({ EDGE_MAX_CONNECTIONS_PER_ADDRESS: maxPerAddress }: EdgeConfig, metrics: EdgeMetrics) {
  // Without a limit this is 0 or a huge number.
  const memoryBytes = process.constrainedMemory() || Infinity;
  return new ConnectionQuota(maxPerAddress, maxConnections(memoryBytes), () => metrics.connectionRefused('evicted'));
}

function sendLimitsOf(config: EdgeConfig): SendLimits {
  const totalBytes = config.EDGE_MAX_UNSENT_MIB * 1024 * 1024;
  return { totalBytes, bytesPerAddress: seesVisitorAddresses(config) ? totalBytes * ADDRESS_SHARE : Infinity };
}

function openAccessLog(config: EdgeConfig, log: Logger, { accessLog }: EdgeOptions): LineSink | undefined {
  if (!config.EDGE_ACCESS_LOG) return undefined;
  return accessLog ?? (log.isLevelEnabled('info') ? openStandardOutput() : undefined);
}
