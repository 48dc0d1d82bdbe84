import type { BoundSocket, Server } from 'node:net';
import { Networks, openFileStorage, Registry, type Logger } from '@pets/platform';
import { formatLine } from '../access-log/access-line.js';
import type { LineSink } from '../access-log/line-sink.js';
import { openDiskCaches, type DiskCaches } from '../disk-cache/disk-cache.js';
import { ApiClient } from '../feed/api-client.js';
import { PreparedHandshakes } from '../feed/prepared-handshakes.js';
import { RouteLookup } from '../feed/route-lookup.js';
import type { FeedProcess } from '../feed/serving-processes.js';
import { leaseMs } from '../feed/lease.js';
import { Forwarder } from '../forward/forwarder.js';
import { originsOptions } from '../forward/origins.js';
import type { Exchange } from '../http/exchange.js';
import { LinkGate } from '../http/link-gate.js';
import { createPlainListener, createSecureListener, type ListenerDeps } from '../http/listeners.js';
import type { RequestEnd } from '../http/request-handler.js';
import { Responder } from '../http/respond.js';
import { SiteFileCache } from '../http/site-file-cache.js';
import { SiteFiles } from '../http/site-files.js';
import { EdgeMetrics } from '../metrics/edge-metrics.js';
import type { EdgeConfig } from '../platform/config.js';
import { PendingWrites } from '../sending/pending-writes.js';
import { Certificates } from '../tls/certificates.js';
import { resetSocket } from '../tls/connection.js';
import { ConnectionQuota } from '../tls/connection-quota.js';
import { ConnectionRegistry } from '../tls/connection-registry.js';
import { describeServing } from './describe-edge.js';
import { limitsOf, seesVisitorAddresses } from './process-limits.js';

export interface ServingOptions {
  /** The sockets to accept on: bound ones, or descriptors of bound ones. */
  readonly sockets: { readonly http: ListenTarget; readonly https: ListenTarget };
  readonly feed: FeedProcess;
  /** How many processes share the limits of the edge. */
  readonly processes: number;
  /** Undefined without an access log. */
  readonly accessLog: LineSink | undefined;
  readonly now: () => number;
  readonly log: Logger;
}

export type ListenTarget = BoundSocket | { readonly fd: number };

/** The parts that answer visitors, as `ServingEdge` uses them. */
export interface ServingParts {
  readonly routes: RouteLookup;
  readonly connections: ConnectionRegistry;
  readonly certificates: Certificates;
  readonly forwarder: Forwarder;
  readonly disks: DiskCaches;
  readonly plain: Server;
  readonly secure: Server;
  readonly registry: Registry;
  readonly state: { isStopping: boolean };
}

export async function assembleServing(
  config: EdgeConfig,
  { feed, processes, accessLog, now, log }: ServingOptions,
): Promise<ServingParts> {
  const metrics = new EdgeMetrics(new Registry());
  const limits = limitsOf(config, processes);
  const routes = new RouteLookup({
    leaseMs: leaseMs(config.EDGE_MAX_STALENESS),
    now,
    onDamaged: (reason) => feed.tableDamaged(reason),
  });
  const storage = await openFileStorage(config.STORAGE_URL);
  const disks = await openDiskCaches(config, false, log);
  const certificates = new Certificates(config, {
    api: new ApiClient(config.API_URL, config.EDGE_TOKEN),
    storage,
    disk: disks.certificates,
    find: routes.find,
    metrics,
    servingProcesses: processes,
    now,
    log,
  });
  const { siteFiles: disk } = disks;
  const files = new SiteFiles({
    storage,
    cache: disk && new SiteFileCache({ disk, maxBytes: config.EDGE_SITE_CACHE_BYTES, storage, log }),
    limitsAddresses: seesVisitorAddresses(config),
  });
  const state = { isStopping: false };
  const quota = new ConnectionQuota(
    limits.connectionsPerAddress,
    limits.connections,
    (socket) => {
      metrics.connectionRefused('evicted');
      resetSocket(socket);
    },
    () => forwarder.evictLong(),
  );
  const forwarder = new Forwarder({
    ...originsOptions(config),
    find: routes.find,
    places: limits.connections,
    gateways: new Networks(config.EDGE_TRUSTED_GATEWAYS),
    processes,
    onConnectivity: (id, isFailing) => feed.originConnectivity(id, isFailing),
    metrics,
    log,
  });
  const writes = new PendingWrites(limits.unsent, (ending) => metrics.sendEnded(ending));
  const connections = new ConnectionRegistry((host) => routes.findStored(host), writes);
  const handshakes = new PreparedHandshakes();
  const listenerDeps: ListenerDeps = {
    edge: {
      find: routes.find,
      get hasLease() {
        return routes.hasLease;
      },
      get thumbprint() {
        return routes.thumbprint;
      },
      publicHttpsPort: config.PUBLIC_HTTPS_PORT,
      links: new LinkGate({ nowMs: now, publicHttpsPort: config.PUBLIC_HTTPS_PORT }),
    },
    responder: new Responder(files, forwarder.forward, log),
    contexts: certificates.contexts,
    findStored: (host) => routes.findStored(host),
    connections,
    quota,
    platform: { domain: config.PLATFORM_DOMAIN, certificate: certificates.platform },
    onPrepared: (row) => {
      if (handshakes.addHost(row)) feed.preparedHandshake(row);
    },
    handshakesPerAddress: limits.handshakesPerAddress,
    trustedProxies: new Networks(config.EDGE_TRUSTED_PROXIES),
    isStopping: () => state.isStopping,
    onRequestEnd: (exchange, ending) => recordRequest(exchange, ending, metrics, accessLog),
    metrics,
    log,
  };
  const [plain, secure] = [createPlainListener(listenerDeps), createSecureListener(listenerDeps)];
  describeServing(metrics.registry, { ...certificates, quota, writes, files, forwarder });
  return { routes, connections, certificates, forwarder, disks, plain, secure, registry: metrics.registry, state };
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
