import { join } from 'node:path';
import { createBatchedLogger, openFileStorage, Registry, type BatchedLogger, type Logger } from '@pets/platform';
import { observeRequests } from './access-log/request-observer.js';
import type { EdgeConfig } from './config.js';
import { createPlainListener, createSecureListener, listen, portOf } from './http/listeners.js';
import { MAX_CONNECTIONS } from './http/limits.js';
import { Responder } from './http/respond.js';
import { SiteFiles } from './http/site-files.js';
import { EdgeMetrics } from './metrics/edge-metrics.js';
import { describeEdge } from './metrics/describe-edge.js';
import { ApiClient } from './routing/api-client.js';
import { RouteReplica, type CertificateStock } from './routing/replica.js';
import { RouteTable } from './routing/route-table.js';
import { SnapshotStore } from './routing/snapshot-store.js';
import { ConnectionQuota } from './tls/connection-quota.js';
import { ConnectionRegistry } from './tls/connection-registry.js';
import { SealedCertificates } from './tls/sealed-certificates.js';
import { SecureContexts } from './tls/secure-contexts.js';
import { WarmSet } from './tls/warm-set.js';
import { drainListeners } from './drain.js';

export interface Edge {
  /** Resolves when visitors are served; that may take as long as the API is away and there is no snapshot. */
  start(): Promise<void>;
  /** Stops accepting, lets requests end, and takes leave of the API. Takes less than 9 s. */
  stop(): Promise<void>;
  /** What it lacks to serve. */
  missing(): Promise<readonly string[]>;
  /** The bound ports. */
  ports(): { readonly http: number; readonly https: number };
  /** What it counts. */
  readonly metrics: Registry;
}

export interface EdgeOptions {
  readonly now?: () => number;
  /** Where lines about requests go; standard output when it is left out. */
  readonly accessLog?: BatchedLogger;
}

/** Puts the gateway together: routes from the feed, certificates by name, two listeners that ask both. */
export async function createEdge(config: EdgeConfig, log: Logger, options: EdgeOptions = {}): Promise<Edge> {
  const { now = Date.now, accessLog = createBatchedLogger('edge', config.LOG_LEVEL) } = options;
  const metrics = new EdgeMetrics(new Registry());
  const api = new ApiClient(config.API_URL, config.EDGE_TOKEN);
  const store = new SnapshotStore(config.EDGE_DATA_DIR);
  const edgeId = await store.open();
  const table = new RouteTable();
  const connections = new ConnectionRegistry();
  const sealed = new SealedCertificates(
    join(config.EDGE_DATA_DIR, 'certificates'),
    (id) => api.fetchCertificate(id),
    (id) => table.namesCertificate(id),
    now,
    log,
  );
  await sealed.open();
  const platform = { cert: config.PLATFORM_CERTIFICATE, key: config.PLATFORM_KEY };
  const contexts = new SecureContexts(platform, sealed, config.CERTIFICATE_KEKS, log, (result) =>
    metrics.certificateLookUp(result),
  );
  const warmSet = new WarmSet(config.EDGE_DATA_DIR, contexts, log);
  const quota = new ConnectionQuota(config.EDGE_MAX_CONNECTIONS_PER_ADDRESS, MAX_CONNECTIONS);

  const state = { isStopping: false };
  const ports = () => ({
    http: portOf(plain) ?? config.EDGE_HTTP_PORT,
    https: portOf(secure) ?? config.EDGE_HTTPS_PORT,
  });
  const addresses = () => ({
    httpAddress: config.ADVERTISED_HTTP_ADDRESS ?? `127.0.0.1:${ports().http}`,
    httpsAddress: config.ADVERTISED_HTTPS_ADDRESS ?? `127.0.0.1:${ports().https}`,
  });
  const replicaSettings = { edgeId, maxStalenessSeconds: config.EDGE_MAX_STALENESS, addresses };
  const stock = stockOf(sealed, contexts);
  const replica = new RouteReplica(replicaSettings, table, api, store, stock, connections, now, log);

  const find = (host: string) => replica.find(host);
  const responder = new Responder(new SiteFiles(await openFileStorage(config.STORAGE_URL)), log);
  const edge = () => ({ find, thumbprint: replica.thumbprint, publicHttpsPort: config.PUBLIC_HTTPS_PORT });
  describeEdge(metrics, { table, replica, contexts, sealed, quota }, now);
  const hasAccessLog = config.EDGE_ACCESS_LOG && accessLog.log.isLevelEnabled('info');
  const observe = observeRequests(metrics, hasAccessLog ? accessLog.log : undefined);
  const listenerDeps = {
    edge,
    responder,
    connections,
    isStopping: () => state.isStopping,
    observe,
    quota,
    metrics,
    log,
  };
  const plain = createPlainListener(listenerDeps);
  const secure = createSecureListener(listenerDeps, {
    find,
    contexts,
    connections,
    platformDomain: config.PLATFORM_DOMAIN,
    onRefused: (reason) => metrics.handshake(reason),
    log,
  });

  return {
    ports,
    metrics: metrics.registry,

    async start() {
      await replica.restore();
      if (state.isStopping) return; // nothing would stop what is begun from here on
      await replica.start();
      if (state.isStopping) return;
      await Promise.all([
        listen(plain, config.HOST, config.EDGE_HTTP_PORT),
        listen(secure, config.HOST, config.EDGE_HTTPS_PORT),
      ]);
      await replica.announce();
      warmSet.start();
      log.info({ edgeId, ...ports() }, 'serving');
    },

    /** The snapshot becomes void before the API is told, so that it never stops waiting for an edge that could come back. */
    async stop() {
      state.isStopping = true;
      await drainListeners([plain, secure], connections, log);
      await Promise.all([replica.stop(), warmSet.stop()]);
      await store.setAside();
      const deregistration = await api.deregister(edgeId);
      // Never reached: the API goes on waiting for this edge, which may then go on from where it was.
      await (deregistration === 'unreached' ? store.bringBack() : store.discardSetAside());
      accessLog.flush();
      log.info({ edgeId, deregistration }, 'stopped');
    },

    async missing() {
      const isListening = plain.listening && secure.listening;
      return [...(isListening ? [] : ['listeners']), ...(replica.mayServe ? [] : ['routes'])];
    },
  };
}

/** What routes stop naming leaves the memory as well as the disk. */
function stockOf(sealed: SealedCertificates, contexts: SecureContexts): CertificateStock {
  return {
    prefetch: (ids) => sealed.prefetch(ids),
    retryMissing: () => sealed.retryMissing(),
    sweep: () => sealed.sweep(),
    drop: (ids) => {
      contexts.drop(ids);
      sealed.drop(ids);
    },
  };
}
